// Bulk import of a follow list into the database, while no server runs. Takes the same lines as
// import-follows.ts would one by one; collects two million at a time and stores them as a pass
// (follow-pass.ts), a transaction that also drops the graph's snapshot: whatever happens, the next start
// finds rows and memory in agreement. Writes a new snapshot at the end.

import { createFollowGraph } from '@slipstream/follow-graph'
import type { ActorWriter } from '../../../data/graph/types.ts'
import type { WriteDb } from '../../../data/store/db.ts'
import { followEdges } from '../../../data/store/edges/all-edges.ts'
import type { SnapshotChunk } from '../../../data/store/files/snapshots.ts'
import { insertActor } from '../../../data/store/records/actors.ts'
import type { FollowLine } from '../../../data/store/records/follows.ts'
import { type IndexContext, isInCircle } from '../index-context.ts'
import { dropGraphSnapshot, saveGraph } from '../memory/graph-snapshot.ts'
import type { Writer } from '../writer.ts'
import { createFollowPass, MAX_PASS, storeFollowPass } from './follow-pass.ts'
import { emptyTally, type ImportTally } from './import-tally.ts'

type BulkImport = {
  add(lines: readonly FollowLine[]): void
  /** Stores the remaining lines, and the graph's snapshot. */
  finish(): ImportTally
}

type Actors = ActorWriter & { dump(): Iterable<SnapshotChunk> }
type Options = {
  actors: Actors
  writer: Writer
  scope: IndexContext['scope']
  isInScopeOnly: boolean
  /** Lines per pass. */
  passLines?: number
}

export function createBulkImport(options: Options): BulkImport {
  const { actors, writer, passLines = MAX_PASS } = options
  const tally = emptyTally()
  const pass = createFollowPass(passLines)
  let stored = actors.count

  function flush(): void {
    if (pass.count === 0) return
    writer.commit((ctx) => {
      ctx.happenedAt = 0 // the time is unknown, but in the past
      for (; stored < actors.count; stored++) {
        insertActor(ctx.db, stored + 1, actors.didOf(stored + 1), ctx.now)
      }
      // The snapshot is dropped, so the graph needs no changes.
      storeFollowPass(ctx, { pass, tally, onJoined() {} })
      dropGraphSnapshot(ctx.db)
    })
    pass.clear()
  }

  return {
    add(lines) {
      for (const line of lines) {
        if (isOutOfScope(options, line)) {
          tally.outOfScope++
          continue
        }
        pass.add(actors.intern(line.did), actors.intern(line.subject), line.rkey)
        if (pass.count === passLines) flush()
      }
    },
    finish() {
      flush()
      if (tally.added > 0) writer.commit((ctx) => saveNewGraph(ctx.db, actors))
      return tally
    },
  }
}

/** As in import-follows.ts, before any account gets a uid. */
function isOutOfScope(
  { actors, scope, isInScopeOnly }: Options,
  { did, subject }: FollowLine,
): boolean {
  if (!isInScopeOnly || scope === 'network') return false
  const isAuthor = (value: string) => {
    const uid = actors.uidOf(value)
    return uid !== 0 && isInCircle(actors, uid)
  }
  return !isAuthor(did) && !(scope === 'community' && isAuthor(subject))
}

function saveNewGraph(db: WriteDb, actors: Actors): void {
  const graph = createFollowGraph()
  graph.build(followEdges.lists(db), actors.count)
  saveGraph(db, graph, actors)
}
