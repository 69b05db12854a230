// A feed generator with configured answers, for worlds whose network is a function.

import { FetchError } from '../../src/sources/identity/fetch-error.ts'
import type { FetchOptions, GuardedFetch } from '../../src/sources/identity/guarded-fetch.ts'

export type RequestOptions = { url: URL; headers: Record<string, string>; body: unknown }

export type FeedGeneratorDouble = {
  did: string
  services: { id: string; type: string; endpoint: string }[]
  fetch: GuardedFetch
  /** Requests in order. */
  requested: RequestOptions[]
  /** Sets its answer from now on; undefined: it does not answer. */
  says(answer: Answer | undefined): void
}

type Answer = { status?: number; body: unknown; headers?: Record<string, string> }

const ENDPOINT = 'https://feeds.test'

export function createFeedGeneratorDouble(): FeedGeneratorDouble {
  const requested: RequestOptions[] = []
  let answer: Answer | undefined
  return {
    did: 'did:web:feeds.test',
    services: [{ id: '#bsky_fg', type: 'BskyFeedGenerator', endpoint: `${ENDPOINT}/` }],
    requested,
    says(next) {
      answer = next
    },
    async fetch(url: string, options: FetchOptions = {}) {
      if (!url.startsWith(`${ENDPOINT}/`)) throw new FetchError('connect', `no way to ${url}`)
      const body = options.body === undefined ? undefined : JSON.parse(String(options.body))
      requested.push({ url: new URL(url), headers: options.headers ?? {}, body })
      if (!answer) throw new FetchError('connect', 'the host is unreachable')
      const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body)
      return {
        status: answer.status ?? 200,
        headers: new Headers(answer.headers),
        body: Buffer.from(text),
        url,
      }
    },
  }
}
