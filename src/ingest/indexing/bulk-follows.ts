// A list of follows into the database at once, while no server runs. What is taken is what
// import-follows.ts would take line by line; lines are collected two million at a time and stored as a pass
// (follow-pass.ts), which is a transaction and takes the graph's snapshot away: whatever happens, the next
// start finds rows and memory in agreement. At the end the snapshot is written anew.

import { createFollowGraph } from '../../data/graph/follow-graph.ts'
import type { ActorWriter } from '../../data/graph/types.ts'
import { insertActor } from '../../data/store/actors.ts'
import type { WriteDb } from '../../data/store/db.ts'
import { followEdges } from '../../data/store/edges/all-edges.ts'
import type { FollowLine } from '../../data/store/follows.ts'
import type { SnapshotChunk } from '../../data/store/snapshots.ts'
import { createFollowPass, MAX_PASS, storeFollowPass } from './follow-pass.ts'
import { dropGraphSnapshot, saveGraph } from './graph-snapshot.ts'
import { emptyTally, type ImportTally } from './import-tally.ts'
import { type IndexContext, isInCircle } from './index-context.ts'
import type { Writer } from './writer.ts'

type BulkImport = {
  add(lines: readonly FollowLine[]): void
  /** Stores what is left, and the graph's snapshot. */
  finish(): ImportTally
}

type Actors = ActorWriter & { dump(): Iterable<SnapshotChunk> }
type Options = {
  actors: Actors
  writer: Writer
  scope: IndexContext['scope']
  isInScopeOnly: boolean
  /** Lines a pass. */
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
      ctx.happenedAt = 0 // nobody says when, but before now
      for (; stored < actors.count; stored++) {
        insertActor(ctx.db, stored + 1, actors.didOf(stored + 1), ctx.now)
      }
      // The snapshot goes, so that nothing needs to be told of the graph.
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

/** As import-follows.ts has it, before anybody gets a uid. */
function isOutOfScope(
  { actors, scope, isInScopeOnly }: Options,
  { did, subject }: FollowLine,
): boolean {
  if (!isInScopeOnly || scope === 'network') return false
  const isAuthor = (one: string) => {
    const uid = actors.uidOf(one)
    return uid !== 0 && isInCircle(actors, uid)
  }
  return !isAuthor(did) && !(scope === 'community' && isAuthor(subject))
}

function saveNewGraph(db: WriteDb, actors: Actors): void {
  const graph = createFollowGraph()
  graph.build(followEdges.lists(db), actors.count)
  saveGraph(db, graph, actors)
}
