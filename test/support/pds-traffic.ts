// Measures how clients treat the PDS double: their requests, how many at once, and how they heed its rate
// limit.

import { type PdsRequest, RESOLVE_HANDLE } from './pds-answers.ts'

export type PdsStats = {
  requests: number
  byMethod: Record<string, number>
  /** Peak number of concurrent requests. */
  maxConcurrent: number
  /** Requests refused with 429 by the rate limit. */
  refused: number
  /** Requests sent while a Retry-After was still running. */
  noRetry: number
}

export type RateLimit = { limit: number; windowMs: number }

export function createTraffic() {
  const stats: PdsStats = { requests: 0, byMethod: {}, maxConcurrent: 0, refused: 0, noRetry: 0 }
  const open: string[] = []
  const peaks = new Map<string, number>()
  return {
    stats,
    /** @returns what to call when the response has ended */
    begin({ method }: PdsRequest): () => void {
      stats.requests += 1
      stats.byMethod[method] = (stats.byMethod[method] ?? 0) + 1
      open.push(method)
      stats.maxConcurrent = Math.max(stats.maxConcurrent, open.length)
      notePeaks(open, peaks)
      return () => {
        open.splice(open.indexOf(method), 1)
      }
    },
    maxConcurrentOf: (prefix: string) => peaks.get(prefix) ?? 0,
    ...createRateLimit(stats),
  }
}

function createRateLimit(stats: PdsStats) {
  let rule: RateLimit | undefined
  let window = { startedAt: 0, count: 0 }
  return {
    rateLimit(next: RateLimit | undefined): void {
      rule = next
      window = { startedAt: 0, count: 0 }
    },
    /** Counts a request against the limit. */
    countDown({ method }: PdsRequest): { refused: boolean; headers: Record<string, string> } {
      if (!rule || method === RESOLVE_HANDLE) return { refused: false, headers: {} }
      const now = Date.now()
      if (now >= window.startedAt + rule.windowMs) window = { startedAt: now, count: 0 }
      window.count += 1
      const refused = window.count > rule.limit
      if (refused) stats.refused += 1
      if (window.count > rule.limit + 1) stats.noRetry += 1
      const left = Math.max(0, rule.limit - window.count)
      const resetAt = window.startedAt + rule.windowMs
      return {
        refused,
        headers: {
          'ratelimit-limit': String(rule.limit),
          'ratelimit-remaining': String(left),
          'ratelimit-reset': String(Math.ceil(resetAt / 1000)),
          ...(refused && { 'retry-after': String(Math.ceil((resetAt - now) / 1000)) }),
        },
      }
    },
  }
}

/** Keeps a peak for every prefix of the methods' names. */
function notePeaks(open: string[], peaks: Map<string, number>): void {
  const now = new Map<string, number>()
  for (const method of open) {
    const parts = method.split('.')
    for (let i = 1; i <= parts.length; i++) {
      const prefix = parts.slice(0, i).join('.')
      now.set(prefix, (now.get(prefix) ?? 0) + 1)
    }
  }
  for (const [prefix, count] of now) peaks.set(prefix, Math.max(peaks.get(prefix) ?? 0, count))
}
