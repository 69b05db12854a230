// A host that keeps failing is not asked for a while, each time longer; then one request tests whether it is
// back.

import { MINUTE_MS } from '../base/util/durations.ts'
import type { FetchedResponse } from './identity/guarded-fetch.ts'
import { retryAfterMs } from './identity/rate-limit-headers.ts'

export type CircuitBreaker = {
  /** Whether a request may be sent now. After a pause only one is let through. */
  mayAsk(): boolean
  /** Whether no requests are sent now; changes nothing. */
  isPausing(): boolean
  /** Whether the one request after a pause is under way. */
  isTesting(): boolean
  succeeded(): void
  /**
   * @param forMs - how long the host itself asks to be left alone
   * @returns for how long no requests are sent from now on; 0 if that does not change
   */
  failed(forMs?: number): number
}

const FAILURES = 5
const FIRST_PAUSE_MS = 15_000
const LONGEST_PAUSE_MS = 5 * MINUTE_MS
const DEFAULT_RETRY_MS = MINUTE_MS / 2

/** How long a host asks to be left alone after too many requests; undefined if it does not. */
export function requestedPauseMs(response: FetchedResponse | undefined): number | undefined {
  if (response?.status !== 429) return undefined
  return retryAfterMs(response.headers, Date.now()) || DEFAULT_RETRY_MS
}

export function createCircuitBreaker(now: () => number): CircuitBreaker {
  let failures = 0
  let pauseMs = FIRST_PAUSE_MS
  let closedUntil = 0
  let isTrying = false

  function pause(forMs: number): number {
    const lengthMs = Math.min(forMs, LONGEST_PAUSE_MS)
    closedUntil = now() + lengthMs
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
    isTrying = false
    return lengthMs
  }

  return {
    mayAsk() {
      if (closedUntil === 0) return true
      if (now() < closedUntil || isTrying) return false
      isTrying = true
      return true
    },
    isPausing: () => now() < closedUntil,
    isTesting: () => isTrying,
    succeeded() {
      failures = 0
      pauseMs = FIRST_PAUSE_MS
      closedUntil = 0
      isTrying = false
    },
    failed(forMs) {
      failures++
      if (forMs !== undefined) return pause(forMs)
      // Failures of requests that were already running change nothing.
      if (closedUntil > now()) return 0
      return isTrying || failures >= FAILURES ? pause(pauseMs) : 0
    },
  }
}
