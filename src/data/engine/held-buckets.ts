// Which buckets of members this node has, in memory that its threads share: the thread that keeps the leases writes it,
// and whoever keeps something for those members alone looks there. It stays as it is while the engine is away, so it
// is no proof: who may write something is for the lease to say.

import { BUCKETS, bucketOf } from './buckets.ts'

export type HeldBuckets = {
  readonly buffer: SharedArrayBuffer
  set(buckets: Iterable<number>): void
  has(bucket: number): boolean
  /** Whether the bucket of this DID is one. */
  hasOf(did: string): boolean
}

/** @param buffer - of another thread's; none are held in a new one */
export function createHeldBuckets(buffer = new SharedArrayBuffer(BUCKETS)): HeldBuckets {
  const flags = new Uint8Array(buffer)
  const has = (bucket: number) => flags[bucket] === 1
  return {
    buffer,
    has,
    set(buckets) {
      const held = new Set(buckets)
      for (let bucket = 0; bucket < BUCKETS; bucket++) flags[bucket] = held.has(bucket) ? 1 : 0
    },
    hasOf: (did) => has(bucketOf(did)),
  }
}
