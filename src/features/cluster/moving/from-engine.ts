// Moves a cluster back from an engine to this node's data folder: everything that other nodes put there becomes
// rows, and from then on the rows are authoritative. The engine's own record of the move refuses servers that
// still name it.

import { randomUUID } from 'node:crypto'
import { membersByDid } from '../../../data/store/members/members.ts'
import type { IndexContext } from '../../../ingest/indexing/index-context.ts'
import { CliError } from '../../../tools/fail.ts'
import type { TimelineRequest } from '../../timelines/requests.ts'
import type { PostOutcome } from '../../timelines/store/programs/timeline-posts.ts'
import { addSigningKey } from '../../timelines/store/signing-keys.ts'
import { followLog } from '../../timelines/writing/follow-log.ts'
import { bucketOf } from '../engine/buckets.ts'
import type { ClusterMove } from '../engine/cluster-moves.ts'
import { bringClusterState } from '../sharing/shared-cluster-state.ts'
import { bringState } from '../sharing/shared-state.ts'
import { bringTimeline, sharedCursorSecret } from '../sharing/shared-timelines.ts'
import {
  findEngineMove,
  highestArrival,
  leaveEngine,
  putEngineMove,
  raiseArrivals,
  sharedWith,
} from '../store/engine-move.ts'
import { inBatches, type MoveContext, mark, refuseServers, rowsOf } from './moving-cluster-state.ts'

export type MovedFromEngine = {
  place: string
  members: number
  timelines: number
  /** An unfinished move to the engine was given up: the rows were authoritative all the time. */
  isGivenUp: boolean
}

/** A lost engine can't have given a member more numbers than this beyond those known here. */
const LOST_NUMBERS = 1_000_000

export async function moveFromEngine(context: MoveContext): Promise<MovedFromEngine> {
  const { cluster, writer } = context
  refuseOthers(context)
  const found = await cluster.moves.read()
  await refuseServers(cluster)
  if (found?.state === 'arriving') return giveUp(context, found)
  const move = await begin(context, found)
  const moved = await bringAll(context)
  const highest = await highestNumber(context, move.base)
  if (move.state !== 'left') await mark(cluster, move, { ...move, state: 'left' })
  writer.commit((ctx) => leaveAbove(ctx, cluster.id, highest))
  return { place: cluster.id, ...moved, isGivenUp: false }
}

/** For a lost engine: this node's own data is all there is. @returns the engine's identity */
export function leaveWithoutEngine({ db, writer }: Pick<MoveContext, 'db' | 'writer'>): string {
  const id = sharedWith(db)
  if (id === undefined) throw nothingShared()
  writer.commit((ctx) => leaveAbove(ctx, id, highestArrival(db) + LOST_NUMBERS))
  return id
}

/** Cursors stay valid, and no number is given twice. */
function leaveAbove({ db, now }: IndexContext, clusterId: string, highest: number): void {
  leaveEngine(db)
  raiseArrivals(db, highest)
  addSigningKey(db, sharedCursorSecret(clusterId), now)
}

function nothingShared(): CliError {
  return new CliError(
    'This data folder shares nothing with an engine.',
    'Run this on a node of the cluster; SLIPSTREAM_DATA_DIR names its folder.',
  )
}

function refuseOthers({ db, cluster }: MoveContext): void {
  const known = sharedWith(db)
  if (known === undefined) throw nothingShared()
  if (known === cluster.id) return
  throw new CliError(
    `This data folder belongs to the cluster ${known}, and on that engine is ${cluster.id}.`,
    'Set SLIPSTREAM_ENGINE to the engine and keyspace that this node shared.',
  )
}

/** Gives up an unfinished move to the engine: the rows were authoritative all the time. */
async function giveUp(context: MoveContext, found: ClusterMove): Promise<MovedFromEngine> {
  const { cluster, db, writer } = context
  if (findEngineMove(db)?.id !== found.id) {
    throw new CliError(
      'Another data folder began a move to this engine, and did not finish.',
      'Run `slipstream move-to-engine` there to finish it, or `slipstream move-from-engine` there to cancel it.',
    )
  }
  await mark(cluster, found, { ...found, state: 'left' })
  writer.commit((ctx) => leaveEngine(ctx.db))
  const members = membersByDid(db).length
  return { place: cluster.id, members, timelines: 0, isGivenUp: true }
}

/**
 * Whichever node left a move unfinished, the cluster is complete on the engine, and goes to the node
 * that takes it now.
 */
async function begin(context: MoveContext, found: ClusterMove | undefined): Promise<ClusterMove> {
  const { cluster, db, writer } = context
  const own = findEngineMove(db)
  if (found?.state === 'left') {
    if (own?.id === found.id) return found
    throw new CliError(
      'This cluster was already moved from the engine into another data folder.',
      'Use that one. `--without-engine` detaches this one, with the data it has.',
    )
  }
  const id = own?.id ?? randomUUID()
  writer.commit((ctx) => putEngineMove(ctx.db, { place: cluster.id, id }))
  const move = await mark(cluster, found, { id, state: 'leaving', base: found?.base ?? 0 })
  // A server started meanwhile does not know of the move.
  await refuseServers(cluster)
  return move
}

async function bringAll(context: MoveContext): Promise<{ members: number; timelines: number }> {
  const { cluster, db, onProgress } = context
  const rows = rowsOf(context)
  onProgress('members', 0, 1)
  await bringClusterState(rows, cluster)
  const members = membersByDid(db)
  await inBatches(context, 'private state', members, ({ did }) => bringState(rows, cluster, did))
  const names = await cluster.timelines.names()
  const ingest = { writeTimelines: (request: TimelineRequest) => write(context, request) }
  await inBatches(context, 'custom timelines', names, (name) =>
    bringTimeline({ db, ingest }, cluster, name),
  )
  return { members: members.length, timelines: names.length }
}

async function write({ writer }: MoveContext, request: TimelineRequest): Promise<PostOutcome[]> {
  if (request.kind === 'follow-log') writer.commit(({ db }) => followLog(db, request))
  return []
}

/** Over all members' timelines. */
async function highestNumber(context: MoveContext, base: number): Promise<number> {
  const { cluster, db } = context
  const following = cluster.following(base)
  let highest = base
  await inBatches(context, 'members’ timelines', membersByDid(db), async ({ did: member }) => {
    const committed = await cluster.epochs.committed(bucketOf(member))
    const range = { member, at: Number.MAX_SAFE_INTEGER, isForward: false, limit: 1 }
    const { entries } = await following.read(range, committed)
    highest = Math.max(highest, entries[0]?.number ?? 0)
  })
  return highest
}
