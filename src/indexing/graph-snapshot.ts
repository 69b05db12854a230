// The follow graph's snapshot, and how memory is brought up at start: from the snapshot and the
// journal of follow changes since, or, where there is none that can be trusted, from all rows.
// Snapshot, what it covers, and the emptied journal are one transaction.

import { assert } from '../assert.ts'
import type { FollowGraphWriter } from '../graph/types.ts'
import type { Db } from '../store/db.ts'
import { lastGraphChange, pruneGraphChanges } from '../store/graph-changes.ts'
import {
  deleteSnapshot,
  readSnapshot,
  type SnapshotChunk,
  SnapshotError,
  writeSnapshot,
} from '../store/snapshots.ts'
import { transact } from '../store/transact.ts'

const NAME = 'graph'
const VERSION = '1'

/** Call it between batches: rows and graph must tell the same. */
export function saveGraph(db: Db, graph: { dump(): Iterable<SnapshotChunk> }): void {
  transact(db, () => {
    const covered = lastGraphChange(db)
    writeSnapshot(db, NAME, { version: VERSION, covered, chunks: graph.dump() })
    pruneGraphChanges(db, covered)
  })
}

/**
 * Loads the graph from its snapshot; `load` makes it from the chunks, and throws an error that
 * `isUntrusted` knows where they are torn or foreign.
 * @returns undefined where the graph has to be made from rows; a bad snapshot is thrown away.
 */
export function loadGraph<Graph extends FollowGraphWriter>(
  db: Db,
  load: (chunks: Iterable<SnapshotChunk>) => Graph,
  isUntrusted: (error: unknown) => boolean,
): { graph: Graph; covered: number } | undefined {
  try {
    const { covered, chunks } = readSnapshot(db, NAME, VERSION)
    assert(covered <= lastGraphChange(db), 'the snapshot covers changes that were never made')
    return { graph: load(chunks), covered }
  } catch (error) {
    if (!(error instanceof SnapshotError) && !isUntrusted(error)) throw error
    transact(db, () => deleteSnapshot(db, NAME))
    return undefined
  }
}
