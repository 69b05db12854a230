// An overview of all leases and their holders: watches until every node has beaten once more, or has had time
// enough to.

import { setTimeout as pause } from 'node:timers/promises'
import { BUCKETS } from './buckets.ts'
import { DEAD_AFTER_MS } from './lease-plan.ts'
import type { Lease, LeaseTable } from './lease-table.ts'

export type LeaseOverview = {
  /** Ascending by bucket; a bucket never held has epoch 0. */
  leases: Lease[]
  nodes: { node: string; isAlive: boolean; buckets: number }[]
  /** Buckets without a holder, or whose holder does not beat. */
  unowned: number[]
}

const LOOKED_EVERY_MS = 250

export async function leaseOverview(table: LeaseTable): Promise<LeaseOverview> {
  const found = await table.leases()
  const known = new Map(found.map((lease) => [lease.bucket, lease]))
  const leases = Array.from(
    { length: BUCKETS },
    (_, bucket) => known.get(bucket) ?? { bucket, node: undefined, epoch: 0, takenAt: 0 },
  )
  const holders = new Set(found.flatMap(({ node }) => node ?? []))
  const alive = await whoBeats(table, holders)
  const nodes = [...new Set([...alive, ...holders])].sort()
  return {
    leases,
    nodes: nodes.map((node) => ({
      node,
      isAlive: alive.has(node),
      buckets: leases.filter((lease) => lease.node === node).length,
    })),
    unowned: leases
      .filter(({ node }) => node === undefined || !alive.has(node))
      .map(({ bucket }) => bucket),
  }
}

async function whoBeats(table: LeaseTable, holders: ReadonlySet<string>): Promise<Set<string>> {
  const first = await table.beats()
  const alive = new Set<string>()
  const isAwaited = () => [...holders, ...first.keys()].some((node) => !alive.has(node))
  for (let waited = 0; waited < DEAD_AFTER_MS && isAwaited(); waited += LOOKED_EVERY_MS) {
    await pause(LOOKED_EVERY_MS)
    for (const [node, beat] of await table.beats()) {
      if (first.get(node) !== beat) alive.add(node)
    }
  }
  return alive
}
