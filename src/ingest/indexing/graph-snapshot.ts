// The snapshots of accounts and follow graph, and how memory is brought up at start: from them, the journal of
// follow changes since, and the rows of accounts since; or, where they can't be trusted, from all rows.

import { assert } from '../../base/util/assert.ts'
import type { ActorWriter, FollowGraphWriter } from '../../data/graph/types.ts'
import { findActor } from '../../data/store/actors.ts'
import type { WriteDb } from '../../data/store/db.ts'
import {
  iterateGraphChanges,
  lastGraphChange,
  pruneGraphChanges,
} from '../../data/store/graph-changes.ts'
import {
  beginSnapshot,
  deleteSnapshot,
  readSnapshot,
  removeLeftovers,
  type SnapshotChunk,
  SnapshotError,
  type SnapshotWriter,
} from '../../data/store/snapshots.ts'

const GRAPH = 'graph'
const ACTORS = 'actors'
const VERSION = '2'
const PIECES_REMOVED_AT_ONCE = 4
const CHANGES_PRUNED_AT_ONCE = 2_000
/** Accounts of a loaded image that are compared with their rows. */
const COMPARED = 100

type Dumped = { dump(): Iterable<SnapshotChunk> }

/**
 * Between two steps anything may happen to rows and memory. The snapshot covers the journal up to where it was when
 * saving began; what changes meanwhile is in the journal too, and whether an account's sets were written before or
 * after makes no difference, since making a follow or unfollow twice is making it once. Only the header that puts
 * the new snapshot in the place of the old one is a moment, and a transaction; the journal that it covers is not
 * needed from then on.
 *
 * Saves in steps, each a commit, between batches: rows and memory must tell the same.
 */
export function* savingMemory(
  db: WriteDb,
  { actors, graph }: { actors?: Dumped | undefined; graph: Dumped },
): Generator<void> {
  const covered = lastGraphChange(db)
  yield* removingLeftovers(db)
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
  yield* removingLeftovers(db)
  for (let pruned = CHANGES_PRUNED_AT_ONCE; pruned === CHANGES_PRUNED_AT_ONCE; ) {
    pruned = pruneGraphChanges(db, covered, CHANGES_PRUNED_AT_ONCE)
    yield
  }
}

function* removingLeftovers(db: WriteDb): Generator<void> {
  for (const name of [ACTORS, GRAPH]) {
    for (let removed = 1; removed > 0; ) {
      removed = removeLeftovers(db, name, PIECES_REMOVED_AT_ONCE)
      yield
    }
  }
}

/** Saves at once. */
export function saveGraph(db: WriteDb, graph: Dumped, actors?: Dumped): void {
  for (const _step of savingMemory(db, { graph, actors })) {
    // Nothing comes between.
  }
}

/** Rows have changed without the journal: the next start makes the graph from them. */
export function dropGraphSnapshot(db: WriteDb): void {
  deleteSnapshot(db, GRAPH)
}

/**
 * Loads the graph from its snapshot, and makes again what the journal has since; `load` makes it
 * from the chunks, and throws an error that `isUntrusted` knows where they are torn or foreign, as
 * `settled` does where graph and journal do not fit.
 * @returns undefined where the graph has to be made from rows; a bad snapshot is thrown away.
 */
export function loadGraph<Graph extends FollowGraphWriter & { settled(): void }>(
  db: WriteDb,
  load: (chunks: Iterable<SnapshotChunk>) => Graph,
  isUntrusted: (error: unknown) => boolean,
): { graph: Graph; covered: number } | undefined {
  return trusted(db, GRAPH, isUntrusted, ({ covered, chunks }) => {
    assert(covered <= lastGraphChange(db), 'the snapshot covers changes that were never made')
    const graph = load(chunks)
    let last = covered
    for (const [creator, subject, added, id] of iterateGraphChanges(db, covered)) {
      if (added) graph.add(creator, subject)
      else graph.remove(creator, subject)
      last = id
    }
    graph.settled()
    return { graph, covered: last }
  })
}

/** The accounts of the snapshot: the first of those in rows. @returns as `loadGraph`. */
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

function trusted<Loaded>(
  db: WriteDb,
  name: string,
  isUntrusted: (error: unknown) => boolean,
  load: (snapshot: ReturnType<typeof readSnapshot>) => Loaded,
): Loaded | undefined {
  try {
    return load(readSnapshot(db, name, VERSION))
  } catch (error) {
    if (!(error instanceof SnapshotError) && !isUntrusted(error)) throw error
    deleteSnapshot(db, name)
    return undefined
  }
}
