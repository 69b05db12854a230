// The port by which a node knows which buckets are its own for now. A lease has an epoch that each change of holders
// counts up, so whatever is written with it can be told from what a later holder writes. Behind it stand the CQL engine
// and, for a node that is alone, the plainest one; one suite holds both to the same behaviour.

import { BUCKETS } from './buckets.ts'

export type Leases = {
  /** The epoch by which this node holds the bucket now; undefined where it does not. */
  epochOf(bucket: number): Promise<number | undefined>
  /** Since the start; `held`: now. */
  counts(): { held: number; gained: number; lost: number }
  /** Gives all back, for good. Never rejects: what could not be given back runs out by itself. */
  release(): Promise<void>
}

/** Of a node that shares nothing: all buckets are its own. */
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
