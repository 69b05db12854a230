// The guarded fetch under the host's rules: never more concurrent requests than allowed, never one to a host
// that asked to be left alone, and the host's headers are honoured.
//
// A running job waits here instead of failing, as long as the wait is short; otherwise a follow list of many
// pages would never get through a rate limit.

import { setTimeout as sleep } from 'node:timers/promises'
import { createLimiter } from '../../base/util/limiter.ts'
import { FetchError } from '../identity/fetch-error.ts'
import type { FetchedResponse, GuardedFetch } from '../identity/guarded-fetch.ts'
import type { Hosts } from './hosts.ts'
import { PdsError } from './pds-error.ts'

const MAX_RATE_LIMITED_TRIES = 5

export function createPacedFetch(options: {
  fetch: GuardedFetch
  hosts: Hosts
  signal: AbortSignal
  maxRequests: number
  /** A longer wait than this fails as `rate-limited`. */
  longestWaitMs: number
}): GuardedFetch {
  const { fetch, hosts, signal, longestWaitMs } = options
  const limiter = createLimiter({ maxRunning: options.maxRequests })

  async function untilWelcome(host: string, account: string | undefined): Promise<void> {
    const aloneMs = account === undefined ? 0 : hosts.accountWaitMs(host, account)
    if (aloneMs > 0) {
      const message = `${host} fails to answer about ${account}`
      throw new PdsError('rate-limited', message, { retryAfterMs: aloneMs })
    }
    const waitMs = hosts.waitMs(host)
    if (waitMs === 0) return
    if (waitMs > longestWaitMs) {
      throw new PdsError('rate-limited', `${host} asked to be left alone`, { retryAfterMs: waitMs })
    }
    await sleep(waitMs, undefined, { signal, ref: false }).catch(() => {
      throw new PdsError('stopped', 'stopped while waiting')
    })
  }

  async function fetchOnce(
    { host, account }: { host: string; account: string | undefined },
    url: string,
    fetchOptions: Parameters<GuardedFetch>[1],
  ): Promise<FetchedResponse> {
    try {
      const response = await limiter.run(() => fetch(url, fetchOptions))
      if (response.status >= 500 && response.status !== 501) hosts.noteFailure(host, account)
      else hosts.noteAnswer(host, response, account)
      return response
    } catch (error) {
      if (error instanceof FetchError && isTheirFault(error)) hosts.noteFailure(host, account)
      throw error
    }
  }

  return async (url, fetchOptions) => {
    const { origin: host, searchParams } = new URL(url)
    const account = searchParams.get('repo') ?? searchParams.get('did') ?? undefined
    for (let tries = 1; ; tries++) {
      await untilWelcome(host, account)
      const response = await fetchOnce({ host, account }, url, fetchOptions)
      if (response.status !== 429 || tries >= MAX_RATE_LIMITED_TRIES) return response
    }
  }
}

function isTheirFault({ reason }: FetchError): boolean {
  return reason !== 'aborted' && reason !== 'busy'
}
