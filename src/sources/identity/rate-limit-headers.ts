// Parses a server's rate limit headers: Retry-After (RFC 9110 §10.2.3), and RateLimit-Remaining and
// RateLimit-Reset of PDSs. A PDS gives the reset as a point in time, other servers as seconds from now; a
// number too large to be a delay is a time.

import { DAY_MS } from '../../base/util/durations.ts'

const LATEST_DELAY_SECONDS = 1_000_000_000
/** No server can make us wait longer than this. */
const LONGEST_DELAY_MS = DAY_MS

/** Milliseconds to wait, never negative, a day at most. */
export function retryAfterMs(headers: Headers, now: number): number | undefined {
  const value = headers.get('retry-after')?.trim()
  if (!value) return undefined
  const seconds = Number(value)
  if (Number.isFinite(seconds)) return bounded(seconds * 1000)
  const date = Date.parse(value)
  return Number.isNaN(date) ? undefined : bounded(date - now)
}

function bounded(delayMs: number): number {
  return Math.min(Math.max(0, delayMs), LONGEST_DELAY_MS)
}

/** Remaining requests, and milliseconds until the quota resets. */
export function remainingRequests(
  headers: Headers,
  now: number,
): { remaining: number; resetMs: number } | undefined {
  const remaining = numberOf(headers.get('ratelimit-remaining'))
  const reset = numberOf(headers.get('ratelimit-reset'))
  if (remaining === undefined || reset === undefined) return undefined
  const resetMs = reset > LATEST_DELAY_SECONDS ? reset * 1000 - now : reset * 1000
  return { remaining, resetMs: bounded(resetMs) }
}

function numberOf(text: string | null): number | undefined {
  if (text === null || text.trim() === '') return undefined
  const value = Number(text)
  return Number.isFinite(value) && value >= 0 ? value : undefined
}
