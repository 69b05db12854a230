// Moves a single node's cluster to an engine: members and decisions, members' private state, programs' posts
// with their numbers, and members' timelines with theirs. Each part is written at once or resumed later; no
// server uses the cluster before all of it is there (features/cluster/engine/cluster-moves.ts).

import { randomUUID } from 'node:crypto'
import { membersByDid } from '../../../data/store/members/members.ts'
import { CliError } from '../../../tools/fail.ts'
import { allCustomTimelines } from '../../timelines/store/moved-timelines.ts'
import { giveUpHoles } from '../../timelines/store/programs/custom-numbers.ts'
import type { CustomTimelineRow } from '../../timelines/store/programs/custom-timelines.ts'
import { prepareCustomTimelines } from '../../timelines/store/read/custom-timelines.ts'
import { setFollowedVersion } from '../../timelines/store/shared-timelines.ts'
import type { Entry } from '../../timelines/writing/follow-log.ts'
import { movedEntries } from '../../timelines/writing/moved-timeline.ts'
import { ownCursorKeys } from '../cluster-state/own-cluster-state.ts'
import type { ClusterMove } from '../engine/cluster-moves.ts'
import { addMissing, bringClusterState } from '../sharing/shared-cluster-state.ts'
import { bringState } from '../sharing/shared-state.ts'
import { findEngineMove, highestArrival, putEngineMove, sharedWith } from '../store/engine-move.ts'
import { inBatches, type MoveContext, mark, refuseServers, rowsOf } from './moving-cluster-state.ts'
import { moveFollowing } from './to-following.ts'

export type MovedToEngine = {
  place: string
  members: number
  timelines: number
  events: number
  /** Entries of members' timelines. */
  entries: number
  /** Whether `following:` continues with its existing numbers. */
  isNumberedOn: boolean
}

/** Numbers on the engine have 31 bits, and many more will be needed. */
const HIGHEST_BASE = 2_000_000_000
/** Matches all holes in its own timelines, since no posts are awaited now. */
const ALL = Number.MAX_SAFE_INTEGER
const NEW_KEYSPACE =
  'Name a new keyspace in SLIPSTREAM_ENGINE, and run `slipstream engine migrate` for it.'

export async function moveToEngine(context: MoveContext): Promise<MovedToEngine> {
  const { cluster, db, writer, onProgress } = context
  const move = await begin(context)
  const rows = rowsOf(context)
  onProgress('members', 0, 1)
  await bringClusterState(rows, cluster)
  await addMissing(cluster.decisions, ownCursorKeys(db))
  await bringClusterState(rows, cluster)
  const members = membersByDid(db)
  await inBatches(context, 'private state', members, ({ did }) => bringState(rows, cluster, did))
  writer.commit((ctx) => void giveUpHoles(ctx.db, { openedBy: ALL, now: ALL }))
  const moved = await moveTimelines(context)
  const entries = await moveFollowing(context, { base: move.base, members })
  await mark(cluster, move, { ...move, state: 'arrived' })
  const counts = { members: members.length, ...moved, entries }
  return { place: cluster.id, ...counts, isNumberedOn: move.base === highestArrival(db) }
}

/** @returns the move to continue. @throws CliError if it is not possible */
async function begin(context: MoveContext): Promise<ClusterMove> {
  const { cluster, db, writer } = context
  const own = findEngineMove(db)
  const found = await cluster.moves.read()
  if (own?.place === cluster.id && found?.id === own.id) return unfinished(found)
  refuseShared(context)
  if (found) throw taken(found)
  await refuseServers(cluster)
  if (!(await cluster.moves.isEmpty())) {
    throw new CliError('Another cluster is on this engine already.', NEW_KEYSPACE)
  }
  const id = own?.id ?? randomUUID()
  writer.commit((ctx) => putEngineMove(ctx.db, { place: cluster.id, id }))
  const highest = highestArrival(db)
  const base = highest > HIGHEST_BASE ? 0 : highest
  const move = await mark(cluster, undefined, { id, state: 'arriving', base })
  // A server started meanwhile does not know of the move.
  await refuseServers(cluster)
  return move
}

function unfinished(found: ClusterMove): ClusterMove {
  if (found.state === 'arriving') return found
  if (found.state === 'arrived') {
    throw new CliError(
      'This cluster is on that engine already.',
      'Start the server; `slipstream move-from-engine` moves it back.',
    )
  }
  throw taken(found)
}

function refuseShared({ db, cluster }: MoveContext): void {
  const other = sharedWith(db)
  const isJustBegun = findEngineMove(db)?.place === cluster.id
  if (other === undefined || isJustBegun) return
  if (other === cluster.id) {
    throw new CliError(
      'This data folder shares with that engine already; its other data is not there.',
      'Its earlier custom timelines stay its own; `slipstream move-from-engine` makes it a separate cluster again, which can move to a new keyspace.',
    )
  }
  throw new CliError(
    `This data folder belongs to a cluster on another engine (${other}).`,
    'Set SLIPSTREAM_ENGINE to that one and run `slipstream move-from-engine` first.',
  )
}

function taken({ state }: ClusterMove): CliError {
  if (state === 'arriving') {
    return new CliError(
      'Another data folder began a move to this engine, and did not finish.',
      `Run \`slipstream move-to-engine\` there, or drop the keyspace. ${NEW_KEYSPACE}`,
    )
  }
  const what = state === 'arrived' ? 'Another cluster is on' : 'A cluster was moved away from'
  return new CliError(`${what} this engine already.`, NEW_KEYSPACE)
}

async function moveTimelines(context: MoveContext): Promise<{ timelines: number; events: number }> {
  const all = allCustomTimelines(context.db)
  const events = all.reduce((sum, value) => sum + value.events, 0)
  await inBatches(context, 'custom timelines', all, (row) => moveTimeline(context, row))
  return { timelines: all.length, events }
}

async function moveTimeline(
  { cluster, db, writer, now }: MoveContext,
  row: CustomTimelineRow,
): Promise<void> {
  const { name } = row
  let { version, after, isWhole: isComplete } = await movedBefore({ cluster }, name)
  const events = prepareCustomTimelines(db)
  const entries = isComplete ? [] : movedEntries({ db, events, now: now() }, row, after)
  for (const entry of entries) {
    if (!(await cluster.timelines.put(name, version + 1, entry))) {
      throw new CliError(
        `Another program posts to custom:${name} on this engine.`,
        'Stop all programs that use the engine’s keyspace, and run this again.',
      )
    }
    version++
  }
  writer.commit((ctx) => setFollowedVersion(ctx.db, { name, place: cluster.id }, version))
}

/** How much of the timeline is in its log already. */
async function movedBefore({ cluster }: Pick<MoveContext, 'cluster'>, name: string) {
  let [version, after, isComplete] = [0, 0, false]
  for (let isMore = true; isMore; ) {
    const slice = await cluster.timelines.after(name, version)
    for (const { number, entry } of slice.entries) {
      const { posts, more } = JSON.parse(entry) as Entry
      version = number
      after = posts.at(-1)?.seq ?? after
      isComplete = more?.lastSeq !== undefined
    }
    isMore = slice.isMore && slice.entries.length > 0
  }
  return { version, after, isWhole: isComplete }
}
