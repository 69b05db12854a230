// The buckets of members that this node holds, in memory shared by its threads: written by the thread that
// keeps the leases, and read by code that keeps data for those members only. It stays unchanged while the
// engine is unreachable, so it proves nothing: only the lease decides which node may write.

import { BUCKETS, bucketOf } from './buckets.ts'

export type HeldBuckets = {
  readonly buffer: SharedArrayBuffer
  set(buckets: Iterable<number>): void
  has(bucket: number): boolean
  /** Whether the DID's bucket is held. */
  hasOf(did: string): boolean
}

/** @param buffer - shared by another thread; a new one holds no buckets */
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
