// app.bsky.feed.sendInteractions: what a member thought of posts in a feed, handed on to the generator
// with their token, which was made out for it. Clients send this to the generator themselves where they
// can; nothing here depends on it, and nobody is told where it is lost.

import type { AppBskyFeedSendInteractions } from '@atproto/api'
import type { SignedInCall } from '../../../call.ts'
import { type Needs, procedure } from '../../../define.ts'

type Interactions = SignedInCall<unknown, AppBskyFeedSendInteractions.InputSchema>

const METHOD = 'app.bsky.feed.sendInteractions'
const TIMEOUT_MS = 5_000
const MAX_BYTES = 64 * 1024

export const sendInteractions = procedure(
  METHOD,
  { anyAudience: true },
  async (app, call: Interactions) => {
    const { feed } = call.input
    if (feed) await handOn(app, call, feed).catch(() => undefined)
    return { body: {} }
  },
)

async function handOn(
  { fetch, generators }: Needs<'fetch' | 'generators'>,
  { input, token, signal }: Interactions,
  feed: string,
): Promise<void> {
  const endpoint = await generators.endpointOf(await generators.serviceOf(feed, signal))
  await fetch(`${endpoint}/xrpc/${METHOD}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify(input),
    maxBytes: MAX_BYTES,
    timeoutMs: TIMEOUT_MS,
    signal,
  })
}
