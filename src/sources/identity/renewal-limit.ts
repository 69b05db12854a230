// Limits how often a DID is looked up again on demand. Anyone can send us a badly signed token for any DID,
// and each one causes a lookup.

import { MINUTE_MS } from '../../base/util/durations.ts'
import { LruMap } from '../../base/util/lru.ts'

const WINDOW_MS = MINUTE_MS
const PER_WINDOW = 3
const MAX_COUNTED = 10_000

/** Returns true a limited number of times a minute for each DID, over all callers. */
export function createRenewalLimit(now: () => number): (did: string) => boolean {
  const counted = new LruMap<string, { count: number; since: number }>(MAX_COUNTED)
  return (did) => {
    const before = counted.get(did)
    const isNewWindow = !before || now() - before.since >= WINDOW_MS
    const current = isNewWindow ? { count: 0, since: now() } : before
    if (current.count >= PER_WINDOW) return false
    counted.set(did, { ...current, count: current.count + 1 })
    return true
  }
}
