// The port through which a node learns which buckets it currently holds. Each change of holder increments the
// lease's epoch, which distinguishes writes by different holders. Implemented by the CQL engine and, for a
// single node, by the trivial variant below; one test suite covers both.

import { BUCKETS } from './buckets.ts'

export type Leases = {
  /** The epoch with which this node holds the bucket now; undefined if it does not. */
  epochOf(bucket: number): Promise<number | undefined>
  /** Since the start, except `held`, which is current. */
  counts(): { held: number; gained: number; lost: number }
  /**
   * Gives all leases back permanently. Never rejects: leases that could not be given back expire.
   */
  release(): Promise<void>
}

/** For a node that shares nothing: it holds all buckets. */
export function createSoleLeases(): Leases {
  let held = BUCKETS
  return {
    epochOf: async () => (held > 0 ? 1 : undefined),
    counts: () => ({ held, gained: BUCKETS, lost: BUCKETS - held }),
    async release() {
      held = 0
    },
  }
}
