// The snapshots of accounts and follow graph, and how memory is restored at startup: from the snapshots, the
// journal of later follow changes, and the rows of later accounts; or, if those can't be trusted, from all
// rows.

import type { FollowGraphWriter } from '@slipstream/follow-graph'
import { assert } from '../../../base/util/assert.ts'
import type { ActorWriter } from '../../../data/graph/types.ts'
import type { Db, WriteDb } from '../../../data/store/db.ts'
import {
  beginSnapshot,
  deleteSnapshot,
  readSnapshot,
  removeLeftovers,
  type SnapshotChunk,
  SnapshotError,
  type SnapshotWriter,
} from '../../../data/store/files/snapshots.ts'
import { findActor } from '../../../data/store/records/actors.ts'
import { lastGraphChange, pruneGraphChanges } from '../../../data/store/records/graph-changes.ts'
import { replayGraphChanges } from './replay-graph.ts'

const GRAPH = 'graph'
const ACTORS = 'actors'
const VERSION = '2'
const CHANGES_PRUNED_AT_ONCE = 2_000
/** Accounts of a loaded image that are compared with their rows. */
const COMPARED = 100

type Dumped = { dump(): Iterable<SnapshotChunk> }

/**
 * Rows and memory may change between two steps. The snapshot covers the journal up to the start of
 * saving; later changes are in the journal too, and it does not matter whether an account's sets
 * were written before or after them, since replaying a follow or unfollow is idempotent. The headers
 * that replace the old snapshots are written in one transaction; once it is committed, the old files
 * and the covered part of the journal are not needed.
 *
 * Saves in steps, each a commit, between batches, when rows and memory agree.
 */
export function* savingMemory(
  db: WriteDb,
  { actors, graph }: { actors?: Dumped | undefined; graph: Dumped },
): Generator<void> {
  const covered = lastGraphChange(db)
  removeLeftovers(db)
  const writers: SnapshotWriter[] = []
  for (const [name, dumped] of [[ACTORS, actors] as const, [GRAPH, graph] as const]) {
    if (!dumped) continue
    const writer = beginSnapshot(db, name, VERSION)
    for (const chunk of dumped.dump()) {
      writer.add(chunk)
      yield
    }
    writers.push(writer)
  }
  for (const writer of writers) writer.finish(covered)
  yield
  removeLeftovers(db)
  for (let pruned = CHANGES_PRUNED_AT_ONCE; pruned === CHANGES_PRUNED_AT_ONCE; ) {
    pruned = pruneGraphChanges(db, covered, CHANGES_PRUNED_AT_ONCE)
    yield
  }
}

/** Saves at once. */
export function saveGraph(db: WriteDb, graph: Dumped, actors?: Dumped): void {
  for (const _step of savingMemory(db, { graph, actors })) {
    // All steps run without a pause.
  }
}

/** Rows have changed without the journal: the next start builds the graph from them. */
export function dropGraphSnapshot(db: WriteDb): void {
  deleteSnapshot(db, GRAPH)
}

/**
 * Loads the graph from its snapshot, and replays the later journal; `load` builds it from the
 * chunks, and throws an error that `isUntrusted` accepts if they are torn or foreign, as `settled`
 * does if graph and journal do not fit.
 * @returns undefined if the graph must be built from rows; deletes a bad snapshot
 */
export function loadGraph<Graph extends FollowGraphWriter & { settled(): void }>(
  db: WriteDb,
  load: (chunks: Iterable<SnapshotChunk>) => Graph,
  isUntrusted: (error: unknown) => boolean,
): { graph: Graph; covered: number } | undefined {
  return trusted(db, GRAPH, isUntrusted, ({ covered, chunks }) => {
    assert(covered <= lastGraphChange(db), 'the snapshot covers changes that were never made')
    const graph = load(chunks)
    const last = replayGraphChanges(db, graph, covered)
    graph.settled()
    return { graph, covered: last }
  })
}

/**
 * Loads the accounts of the snapshot, which are the first of those in rows. @returns as `loadGraph`
 */
export function loadActors<Actors extends ActorWriter>(
  db: WriteDb,
  load: (chunks: Iterable<SnapshotChunk>) => Actors,
  isUntrusted: (error: unknown) => boolean,
): Actors | undefined {
  return trusted(db, ACTORS, isUntrusted, ({ chunks }) => {
    const actors = load(chunks)
    const { count } = actors
    for (let i = 0; i < Math.min(count, COMPARED); i++) {
      const uid = count - Math.floor((count * i) / COMPARED)
      if (findActor(db, uid)?.did === actors.didOf(uid)) continue
      throw new SnapshotError(`uid ${uid} is not the account in rows`)
    }
    return actors
  })
}

/**
 * The chunks of the accounts' snapshot, for a thread that loads them beside the writer's.
 * @throws SnapshotError if there is none, or it is torn
 */
export function actorChunks(db: Db): Iterable<SnapshotChunk> {
  return readSnapshot(db, ACTORS, VERSION).chunks
}

function trusted<Loaded>(
  db: WriteDb,
  name: string,
  isUntrusted: (error: unknown) => boolean,
  load: (snapshot: ReturnType<typeof readSnapshot>) => Loaded,
): Loaded | undefined {
  let snapshot: ReturnType<typeof readSnapshot> | undefined
  try {
    snapshot = readSnapshot(db, name, VERSION)
    return load(snapshot)
  } catch (error) {
    if (!(error instanceof SnapshotError) && !isUntrusted(error)) throw error
    deleteSnapshot(db, name)
    return undefined
  } finally {
    snapshot?.chunks.return()
  }
}
