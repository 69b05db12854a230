// How busy a serving thread is with the members of each bucket. A node that is overloaded by few buckets is helped by
// other holders of those; one that all buckets load alike, by more nodes.

import type { FeatureGauge } from '../../base/feature.ts'
import { LruMap } from '../../base/util/lru.ts'
import { BUCKETS, bucketOf } from './engine/buckets.ts'

type BucketLoad = {
  add(did: string, ms: number): void
  /** Milliseconds since the start, of buckets that had any. */
  gauges(): Readonly<Record<FeatureGauge, number>>
}

const KNOWN_MEMBERS = 10_000

/** One for each bucket. */
export const loadGauges: readonly FeatureGauge[] = Array.from(
  { length: BUCKETS },
  (_, bucket) => `cluster.bucketMs${bucket}` as const,
)

export function createBucketLoad(): BucketLoad {
  const sums = new Float64Array(BUCKETS)
  const buckets = new LruMap<string, number>(KNOWN_MEMBERS)
  return {
    add(did, ms) {
      let bucket = buckets.get(did)
      if (bucket === undefined) {
        bucket = bucketOf(did)
        buckets.set(did, bucket)
      }
      sums[bucket]! += ms
    },
    gauges() {
      const entries = loadGauges.map((gauge, bucket) => [gauge, sums[bucket]!] as const)
      return Object.fromEntries(entries.filter(([, ms]) => ms > 0))
    },
  }
}
