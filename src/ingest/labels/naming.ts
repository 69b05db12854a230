// Whose request named which labelers, and what that may cost: so many unknown ones are looked up for one member
// and for all, which grow back over a day, and a labeler that hardly anybody names counts against the member
// who named it first. Anonymous requests name nobody.

import { DAY_MS } from '../../base/util/durations.ts'
import { LruMap } from '../../base/util/lru.ts'
import type { LabelerRow } from '../../data/store/labelers.ts'
import type { LabelsParts } from './labels-parts.ts'

export type Naming = {
  /** @param by - DID of a member. */
  note(labeler: string, by: string): void
  /** Whether one more unknown labeler may be looked up for this member; if so, it counts. */
  mayLookUp(by: string): boolean
  /** Against whom its stream counts; undefined where several members name it. */
  sponsorOf(row: LabelerRow & { did: string }): string | number | undefined
}

type Bucket = { left: number; at: number }

const MAX_ACCOUNTS = 10_000
const MAX_LABELERS = 1_000
/** So many members name it: then it is nobody's. */
const COMMON = 3

export function createNaming({ limits, now }: Pick<LabelsParts, 'limits' | 'now'>): Naming {
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
