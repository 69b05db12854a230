// Makes the shared memory at start, and keeps it quick to make: accounts and bits come from rows, the
// graph from its snapshot plus the journal of what changed since, or wholly from rows where the
// snapshot is missing, torn or foreign (invariant 3).

import type { SharedMemory } from '../bridge.ts'
import type { Config } from '../config.ts'
import { createActorTable } from '../graph/actor-table.ts'
import {
  createFollowGraph,
  loadFollowGraph,
  type SharedFollowGraph,
} from '../graph/follow-graph.ts'
import { ImageError } from '../graph/image-chunks.ts'
import { loadGraph, saveGraph } from '../indexing/graph-snapshot.ts'
import type { Memory } from '../indexing/memory.ts'
import { catchUpMemory, rebuildMemory } from '../indexing/rebuild-memory.ts'
import type { Logger } from '../obs/log.ts'
import { countActors } from '../store/actors.ts'
import type { Db } from '../store/db.ts'
import { countGraphChanges } from '../store/graph-changes.ts'
import { fanOut } from '../timeline/fan-out.ts'
import { createKeeps } from '../timeline/lossiness.ts'
import { createTimelines } from '../timeline/rings.ts'

export type LoadedMemory = {
  memory: Memory
  handles: SharedMemory
  /** Writes the graph's snapshot if at least so many follows changed. Between batches only. */
  saveSnapshot(minChanges: number): void
}

export function loadMemory(options: { db: Db; config: Config; log: Logger }): LoadedMemory {
  const { db, config, log } = options
  const startedAt = performance.now()
  const loaded = loadGraph(db, (chunks) => loadFollowGraph(chunks, countActors(db)), isImageError)
  const graph = loaded?.graph ?? createFollowGraph()
  const memory = createMemory(config, graph)
  if (loaded) catchUpMemory(db, memory, loaded.covered)
  else rebuildMemory(db, memory)
  const { actors, timelines } = memory
  const figures = { actors: actors.count, follows: graph.edgeCount }
  const from = loaded ? 'snapshot' : 'rows'
  log.info({ ...figures, from, tookMs: elapsedMs(startedAt) }, 'memory is ready')
  return {
    memory,
    handles: { actors: actors.handle, graph: graph.handle, timelines: timelines.handle },
    saveSnapshot: (minChanges) => saveIfWorth({ db, graph, log, minChanges }),
  }
}

function createMemory(config: Config, graph: SharedFollowGraph) {
  const actors = createActorTable()
  const timelines = createTimelines(config.timelineLength)
  const keeps = createKeeps({ graph, limit: config.reasonableLimit })
  return {
    actors,
    graph,
    timelines,
    fanOut: (entry) => fanOut({ graph, actors, timelines, keeps }, entry),
    keeps,
    celebrityThreshold: config.celebrityThreshold,
    timelineLength: config.timelineLength,
  } satisfies Memory
}

function saveIfWorth(options: {
  db: Db
  graph: SharedFollowGraph
  log: Logger
  minChanges: number
}): void {
  const { db, graph, log, minChanges } = options
  if (countGraphChanges(db, minChanges) < minChanges) return
  const startedAt = performance.now()
  saveGraph(db, graph)
  log.info({ follows: graph.edgeCount, tookMs: elapsedMs(startedAt) }, 'graph snapshot written')
}

function isImageError(error: unknown): boolean {
  return error instanceof ImageError
}

function elapsedMs(since: number): number {
  return Math.round(performance.now() - since)
}
