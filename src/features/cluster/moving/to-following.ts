// Moves members' timelines to their logs on an engine: the newest entries of each with their existing
// numbers, so that a reader who returns continues where they were. Written as by a node that holds all
// buckets, in one flush, which counts once all of it is there; later entries get numbers above all that were
// ever given here.

import { createFollowGraph } from '@slipstream/follow-graph'
import { batchesOf } from '../../../base/util/batches.ts'
import { createIsDrawn } from '../../../data/graph/lossiness.ts'
import { followEdges } from '../../../data/store/edges/all-edges.ts'
import { prepareItemDraw } from '../../../data/store/read/timelines/item-draw.ts'
import { latestStreamTimeUs } from '../../../data/store/stream/stream-cursors.ts'
import { CliError } from '../../../tools/fail.ts'
import { prepareReaders } from '../../timelines/sources/open-sources.ts'
import { BUCKETS, bucketOf } from '../engine/buckets.ts'
import type { FollowingEpochs } from '../engine/following-epochs.ts'
import { type LeaseTable, MAX_LEASES_AT_ONCE } from '../engine/lease-table.ts'
import { createDeliveries } from '../sharing/following-deliveries.ts'
import { inBatches, type MoveContext } from './moving-cluster-state.ts'

type Members = readonly { uid: number; did: string }[]

const FLUSH = 1
const NODE = 'move-to-engine'
const all = Array.from({ length: BUCKETS }, (_, bucket) => bucket)

/** @returns the number of entries */
export async function moveFollowing(
  context: MoveContext,
  { base, members }: { base: number; members: Members },
): Promise<number> {
  const { cluster, db, now } = context
  // The flush covers all buckets at once.
  const isDone = (await cluster.epochs.committed(all.at(-1)!)).size > 0
  if (isDone) return 0
  const epochs = await takeAll(cluster, now())
  await cluster.epochs.begin(epochs)
  const following = cluster.following(base)
  const newest = base === 0 ? () => [] : newestOf(context)
  let entries = 0
  await inBatches(context, 'members’ timelines', members, async ({ uid, did: member }) => {
    const items = newest(uid, base)
    const numbers = items.map(({ seq }) => seq)
    const epoch = epochs.get(bucketOf(member))!
    await following.put({ member, epoch, flush: FLUSH, number: base, numbers, items })
    entries += items.length
  })
  const streamedAt = Math.min(latestStreamTimeUs(db) / 1_000, now())
  const position = streamedAt > 0 ? Math.floor(streamedAt) : undefined
  await commit(cluster.epochs, epochs, position)
  await giveAll(cluster.leases, epochs)
  return entries
}

function newestOf({ db, actors, config }: MoveContext) {
  const graph = createFollowGraph()
  graph.build(followEdges.lists(db), actors.count)
  const limit = config.reasonableLimit
  const isDrawn = createIsDrawn({ graph, limit, draw: prepareItemDraw(db, actors) })
  const reading = { db, actors, graph, isDrawn }
  return createDeliveries(reading, prepareReaders(reading)).newest
}

/**
 * There are no other nodes; an interrupted move holds the buckets with an earlier epoch, whose
 * writes don't count.
 */
async function takeAll(
  { leases }: { leases: LeaseTable },
  now: number,
): Promise<Map<number, number>> {
  const found = new Map((await leases.leases()).map(({ bucket, epoch }) => [bucket, epoch]))
  const known = all.map((bucket) => ({ bucket, epoch: found.get(bucket) ?? 0 }))
  for (const some of batchesOf(known, MAX_LEASES_AT_ONCE)) {
    if (await leases.take(NODE, some, now)) continue
    throw new CliError(
      'Another process takes the buckets of members.',
      'Stop all programs that use the engine’s keyspace, and run this again.',
    )
  }
  return new Map(known.map(({ bucket, epoch }) => [bucket, epoch + 1]))
}

async function giveAll(leases: LeaseTable, epochs: ReadonlyMap<number, number>): Promise<void> {
  const held = [...epochs].map(([bucket, epoch]) => ({ bucket, epoch }))
  for (const some of batchesOf(held, MAX_LEASES_AT_ONCE)) await leases.give(some)
}

/** From the lowest bucket to the highest. */
async function commit(
  epochs: FollowingEpochs,
  held: ReadonlyMap<number, number>,
  position: number | undefined,
): Promise<void> {
  const flushes = [...held].map(([bucket, epoch]) => ({ bucket, epoch, flush: FLUSH, position }))
  if (await epochs.commit(flushes)) return
  throw new CliError(
    'Another process writes members’ timelines.',
    'Stop all programs that use the engine’s keyspace, and run this again.',
  )
}
