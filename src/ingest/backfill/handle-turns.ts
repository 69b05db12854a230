// Whose handles are verified now: only so many of one domain at once, and few of a domain that was slow, so that
// accounts whose names lead to silent servers hold up nobody else's. Whoever finds no place comes again soon,
// and takes no place among those that are looked up meanwhile.

import { LruMap } from '../../base/util/lru.ts'
import { registrableDomain } from '../../sources/identity/registrable-domain.ts'
import { PdsError } from '../../sources/pds/pds-error.ts'

export type HandleTurns = {
  /** @throws PdsError `too-early` where there is no place now */
  take<T>(handle: string, work: () => Promise<T>): Promise<T>
}

const MOST_OF_DOMAIN = 16
const MOST_OF_SLOW = 4
const SLOW_AFTER_MS = 1_500
const SLOW_FOR_MS = 10 * 60_000
const AGAIN_MS = 5_000
const MAX_REMEMBERED = 10_000

export function createHandleTurns(now: () => number): HandleTurns {
  const running = new Map<string, number>()
  const slowUntil = new LruMap<string, number>(MAX_REMEMBERED)

  function leave(domain: string, tookMs: number): void {
    const left = running.get(domain)! - 1
    if (left > 0) running.set(domain, left)
    else running.delete(domain)
    if (tookMs >= SLOW_AFTER_MS) slowUntil.set(domain, now() + SLOW_FOR_MS)
  }

  return {
    async take(handle, work) {
      const domain = registrableDomain(handle)
      const count = running.get(domain) ?? 0
      const isSlow = (slowUntil.get(domain) ?? 0) > now()
      if (count >= (isSlow ? MOST_OF_SLOW : MOST_OF_DOMAIN)) {
        const message = `handles of ${domain} are looked up already`
        throw new PdsError('too-early', message, { retryAfterMs: AGAIN_MS })
      }
      running.set(domain, count + 1)
      const startedAt = now()
      try {
        return await work()
      } finally {
        leave(domain, now() - startedAt)
      }
    },
  }
}
