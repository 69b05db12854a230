// Our sets of one direction as a contestant of graph-lists.ts.

import { Adjacency } from '../../packages/follow-graph/src/graph/adjacency.ts'
import { SlabPool } from '../../packages/follow-graph/src/graph/slab-pool.ts'
import * as order from '../../packages/follow-graph/src/graph/uid-order.ts'
import { OwnerVersionsWriter } from '../../packages/follow-graph/src/shared-memory/owner-versions.ts'
import type { Contestant } from './graph-lists.ts'

// Compiled in, as in the graph.
const { keyOf } = order

/** In shared memory; publishes `batch` changes at a time. */
export function oneDirection(batch: number): Contestant {
  const sets = new Adjacency(new SlabPool(100_000_000), 10_000_000)
  sets.highestUid = 4_000_000
  const versions = new OwnerVersionsWriter()
  const each = (uids: Int32Array, change: (from: number, end: number) => void) => {
    for (let at = 0; at < uids.length; at += batch) {
      if (batch > 1) versions.hold()
      change(at, Math.min(at + batch, uids.length))
      if (batch > 1) versions.release()
    }
  }
  return {
    addAll(owner, uids) {
      each(uids, (from, end) => {
        for (let i = from; i < end; i++) {
          versions.begin(owner, owner)
          sets.add(owner, keyOf(uids[i]!))
          versions.end()
        }
      })
    },
    countAll(owner, uids) {
      let count = 0
      for (let i = 0; i < uids.length; i++) if (sets.has(owner, keyOf(uids[i]!))) count++
      return count
    },
    removeAll(owner, uids) {
      each(uids, (from, end) => {
        for (let i = from; i < end; i++) {
          versions.begin(owner, owner)
          sets.remove(owner, keyOf(uids[i]!))
          versions.end()
        }
      })
    },
  }
}
