// Limits concurrent handle verifications: only a few at once for a domain that recently did not answer, so
// that accounts whose handles lead to silent servers do not delay others. A handle that has to wait is retried soon,
// and does not count as a running lookup meanwhile.

import { MINUTE_MS } from '../../base/util/durations.ts'
import { LruMap } from '../../base/util/lru.ts'
import { registrableDomain } from '../../sources/identity/registrable-domain.ts'
import { PdsError } from '../../sources/pds/pds-error.ts'

type Verdict = boolean | undefined

export type HandleTurns = {
  /**
   * @param work - resolves to undefined if the handle could not be checked
   * @throws PdsError `too-early` if there is no place now
   */
  take(handle: string, work: () => Promise<Verdict>): Promise<Verdict>
}

const MOST_OF_SILENT = 4
const SILENT_FOR_MS = 10 * MINUTE_MS
const AGAIN_MS = 5_000
const MAX_REMEMBERED = 10_000

export function createHandleTurns(now: () => number): HandleTurns {
  const running = new Map<string, number>()
  const silentUntil = new LruMap<string, number>(MAX_REMEMBERED)

  function leave(domain: string): void {
    const left = running.get(domain)! - 1
    if (left > 0) running.set(domain, left)
    else running.delete(domain)
  }

  return {
    async take(handle, work) {
      const domain = registrableDomain(handle)
      const count = running.get(domain) ?? 0
      if (count >= MOST_OF_SILENT && (silentUntil.get(domain) ?? 0) > now()) {
        const message = `handles of ${domain} are looked up already, and it is silent`
        throw new PdsError('too-early', message, { retryAfterMs: AGAIN_MS })
      }
      running.set(domain, count + 1)
      try {
        const verdict = await work()
        if (verdict === undefined) silentUntil.set(domain, now() + SILENT_FOR_MS)
        else silentUntil.delete(domain)
        return verdict
      } finally {
        leave(domain)
      }
    },
  }
}
