// Which members' requests named which labelers, and how much that may cost: lookups of unknown labelers are
// limited for each member and for all together, and the budgets refill over a day. A labeler that few members
// name counts against the member who named it first. Anonymous requests name no labelers.

import { DAY_MS } from '../../base/util/durations.ts'
import { LruMap } from '../../base/util/lru.ts'
import type { LabelerRow } from '../../data/store/moderation/labelers.ts'
import type { LabelsContext } from './labels-context.ts'

export type Naming = {
  /** @param by - DID of a member. */
  note(labeler: string, by: string): void
  /** Whether this member may cause one more lookup of an unknown labeler; if so, charges it. */
  mayLookUp(by: string): boolean
  /** The member its stream counts against; undefined if several members name it. */
  sponsorOf(row: LabelerRow & { did: string }): string | number | undefined
}

type Bucket = { left: number; at: number }

const MAX_ACCOUNTS = 10_000
const MAX_LABELERS = 1_000
/** Named by this many members, a labeler counts against none of them. */
const COMMON = 3

export function createNaming({ limits, now }: Pick<LabelsContext, 'limits' | 'now'>): Naming {
  const buckets = new LruMap<string, Bucket>(MAX_ACCOUNTS)
  const namers = new LruMap<string, Set<string>>(MAX_LABELERS)
  const all: Bucket = { left: limits.maxLookedUp, at: now() }

  function fill(bucket: Bucket, most: number): Bucket {
    const grown = ((now() - bucket.at) / DAY_MS) * most
    bucket.left = Math.min(most, bucket.left + Math.max(grown, 0))
    bucket.at = now()
    return bucket
  }

  return {
    note(labeler, by) {
      const known = namers.get(labeler) ?? new Set()
      if (known.size < COMMON) known.add(by)
      namers.set(labeler, known)
    },
    mayLookUp(by) {
      const own = fill(
        buckets.get(by) ?? { left: limits.maxLookedUpEach, at: now() },
        limits.maxLookedUpEach,
      )
      buckets.set(by, own)
      if (own.left < 1 || fill(all, limits.maxLookedUp).left < 1) return false
      own.left -= 1
      all.left -= 1
      return true
    },
    sponsorOf({ did, named_by }) {
      const known = namers.get(did)
      if (known && known.size >= COMMON) return undefined
      return named_by ?? known?.values().next().value
    },
  }
}
