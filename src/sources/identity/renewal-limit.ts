// How often a DID may be looked up anew because somebody asks for it. Anyone can send us a badly signed
// token for any DID, and each is a reason to ask.

import { MINUTE_MS } from '../../base/util/durations.ts'
import { LruMap } from '../../base/util/lru.ts'

const WINDOW_MS = MINUTE_MS
const PER_WINDOW = 3
const MAX_COUNTED = 10_000

/** True so many times a minute for one DID, whoever asks. */
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
