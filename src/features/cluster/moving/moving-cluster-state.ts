// What a move between a data folder and an engine works on: the engine through its ports, and the folder's
// database, which no other process has open meanwhile. An interrupted move is started again and finds its
// earlier work.

import type { Config } from '../../../base/config/config.ts'
import { batchesOf } from '../../../base/util/batches.ts'
import type { Writer as Requests } from '../../../bridge/messages.ts'
import type { ActorReader } from '../../../data/graph/types.ts'
import type { Db } from '../../../data/store/db.ts'
import type { Writer } from '../../../ingest/indexing/writer.ts'
import { CliError } from '../../../tools/fail.ts'
import type { ClusterChanges } from '../engine/cluster-changes.ts'
import { type ClusterMove, type ClusterMoves, createClusterMoves } from '../engine/cluster-moves.ts'
import type { Engine } from '../engine/connect.ts'
import { createCqlClusterChanges } from '../engine/cql-cluster-changes.ts'
import { createCqlPrivateChanges } from '../engine/cql-private-changes.ts'
import { createFollowingEpochs, type FollowingEpochs } from '../engine/following-epochs.ts'
import { createFollowingLog, type FollowingLog } from '../engine/following-log.ts'
import { leaseOverview } from '../engine/lease-overview.ts'
import { createLeaseTable, type LeaseTable } from '../engine/lease-table.ts'
import { checkedSchema } from '../engine/schema.ts'
import { createTimelineLog, type TimelineLog } from '../engine/timeline-log.ts'
import type { PrivateClusterState } from '../sharing/shared-state.ts'

export type MovingClusterState = PrivateClusterState & {
  decisions: ClusterChanges
  timelines: TimelineLog
  following: (base: number) => FollowingLog
  epochs: FollowingEpochs
  leases: LeaseTable
  moves: ClusterMoves
}

type Step = 'members' | 'private state' | 'custom timelines' | 'members’ timelines'

export type MoveContext = {
  cluster: MovingClusterState
  db: Db
  actors: ActorReader
  writer: Pick<Writer, 'commit'>
  /** The serving threads' write requests, executed at once. */
  requests: Requests
  config: Pick<Config, 'reasonableLimit'>
  onProgress: (step: Step, done: number, all: number) => void
  now: () => number
}

/** Many requests run at once, each with a long timeout. */
const PATIENCE_MS = 30_000
const AT_ONCE = 16

/** @throws EngineUnavailableError if the tables do not exist */
export async function openMovingClusterState(engine: Engine): Promise<MovingClusterState> {
  return {
    id: await checkedSchema(engine),
    changes: createCqlPrivateChanges(engine, PATIENCE_MS),
    decisions: createCqlClusterChanges(engine),
    timelines: createTimelineLog(engine),
    following: (base) => createFollowingLog(engine, base),
    epochs: createFollowingEpochs(engine),
    leases: createLeaseTable(engine),
    moves: createClusterMoves(engine),
  }
}

/** The parts with which a serving thread updates rows; the command itself reports failures. */
export function rowsOf({ db, requests }: Pick<MoveContext, 'db' | 'requests'>) {
  return { db, writer: requests, log: { warn() {}, error() {}, info() {} } }
}

/** Processes all of them, `AT_ONCE` at a time. */
export async function inBatches<T>(
  { onProgress }: Pick<MoveContext, 'onProgress'>,
  step: Step,
  all: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<void> {
  let done = 0
  for (const some of batchesOf(all, AT_ONCE)) {
    await Promise.all(some.map(work))
    done += some.length
    onProgress(step, done, all.length)
  }
}

/** @throws CliError if servers are using the cluster, which would then exist twice */
export async function refuseServers({ leases }: Pick<MovingClusterState, 'leases'>): Promise<void> {
  const { nodes } = await leaseOverview(leases)
  const alive = nodes.filter(({ isAlive }) => isAlive).map(({ node }) => node)
  if (alive.length === 0) return
  throw new CliError(
    `${alive.length === 1 ? 'A server runs' : `${alive.length} servers run`} on this engine: ${alive.join(', ')}.`,
    'Stop all of them first; data they receive meanwhile would be lost.',
  )
}

/** @throws CliError if another node was faster */
export async function mark(
  { moves }: Pick<MovingClusterState, 'moves'>,
  before: ClusterMove | undefined,
  after: ClusterMove,
): Promise<ClusterMove> {
  const isDone = await moves.replace(before, after).catch(async (error: Error) => {
    const found = await moves.read()
    if (found?.id === after.id && found.state === after.state) return true
    throw error
  })
  if (isDone) return after
  throw new CliError(
    'Another node is moving its cluster now.',
    'Make sure that no other move to or from this engine runs.',
  )
}
