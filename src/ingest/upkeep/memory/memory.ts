// Builds the shared memory at start, and keeps that fast: accounts and graph come from their snapshots plus
// later changes from rows and journal, or wholly from rows if a snapshot is missing, torn or foreign; bits
// always come from rows (invariant 3). No writer exists yet at this point, so this code itself deletes the
// snapshots that it discards.

import {
  createFollowGraph,
  createTimelines,
  ImageError,
  loadFollowGraph,
  type SharedFollowGraph,
} from '@slipstream/follow-graph'
import type { Config } from '../../../base/config/config.ts'
import type { Logger } from '../../../base/obs/log.ts'
import { createCounterSpace } from '../../../base/obs/request-counters.ts'
import type { SharedMemory } from '../../../bridge/messages.ts'
import {
  type ActorTable,
  createActorTable,
  loadActorTable,
} from '../../../data/graph/actor-table.ts'
import { createIsDrawn, drawByHash } from '../../../data/graph/lossiness.ts'
import { InvalidationWriter } from '../../../data/shared-memory/invalidation-ring.ts'
import type { WriteDb } from '../../../data/store/db.ts'
import type { SnapshotChunk } from '../../../data/store/files/snapshots.ts'
import { countActors } from '../../../data/store/records/actors.ts'
import { publishInvalidationsTo } from '../../../data/store/transact.ts'
import { fanOut } from '../../indexing/memory/fan-out.ts'
import { loadActors, loadGraph } from '../../indexing/memory/graph-snapshot.ts'
import type { Memory } from '../../indexing/memory/memory.ts'
import { catchUpMemory, rebuildMemory } from '../../indexing/memory/rebuild-memory.ts'
import { createFanOutCounts, type FanOutCounts } from '../status/fan-out-counts.ts'
import { loadActorsBeside } from './actors-beside.ts'
import type { SavedMemory } from './snapshots.ts'

/** Also reports what fan-out did. */
export type CountingMemory = Memory & { fanOuts: Pick<FanOutCounts, 'read'> }

type LoadedMemory = {
  memory: CountingMemory
  handles: SharedMemory
  /** The source of snapshots. */
  saved: SavedMemory
}

type Sources = { db: WriteDb; config: Config; log: Logger }

/** @param options - `fewAccounts`: see actors-beside.ts */
export function loadMemory(options: Sources & { fewAccounts?: number }): LoadedMemory {
  const { db, config, log } = options
  const startedAt = performance.now()
  const accounts = countActors(db)
  const { dataDir } = config
  const actorsBeside = loadActorsBeside({ dataDir, accounts, few: options.fewAccounts, log })
  const loaded = loadGraph(db, (chunks) => loadFollowGraph(chunks, accounts), isImageError)
  const graph = loaded?.graph ?? createFollowGraph()
  const load = (chunks: Iterable<SnapshotChunk>) => actorsBeside() ?? loadActorTable(chunks)
  const loadedActors = loadActors(db, load, isImageError)
  const actors = loadedActors ?? createActorTable()
  const memory = createMemory(config, graph, actors)
  if (loaded) catchUpMemory(db, memory, loaded.covered)
  else rebuildMemory(db, memory)
  const invalidations = new InvalidationWriter()
  publishInvalidationsTo(db, invalidations)
  const { timelines } = memory
  const figures = { actors: actors.count, follows: graph.edgeCount }
  const from = loaded && loadedActors ? 'snapshot' : 'rows'
  log.info({ ...figures, from, tookMs: elapsedMs(startedAt) }, 'memory is ready')
  const isPending = from === 'rows' && graph.edgeCount > 0
  return {
    memory,
    handles: {
      actors: actors.handle,
      graph: graph.handle,
      timelines: timelines.handle,
      invalidations: invalidations.buffer,
      requests: createCounterSpace(config.serveThreads),
    },
    saved: { graph, actors, isPending },
  }
}

function createMemory(config: Config, graph: SharedFollowGraph, actors: ActorTable) {
  const timelines = createTimelines(config.timelineLength)
  const limit = config.reasonableLimit
  const isHashDrawn = createIsDrawn({ graph, limit, draw: drawByHash(actors) })
  const parts = { graph, actors, timelines, isHashDrawn }
  const fanOuts = createFanOutCounts({ isLossy: limit > 0, now: Date.now })
  return {
    ...parts,
    fanOut: (entry, hash) => fanOuts.count(() => fanOut(parts, entry, hash)).written,
    fanOuts,
    celebrityThreshold: config.celebrityThreshold,
    timelineLength: config.timelineLength,
  } satisfies CountingMemory
}

function isImageError(error: unknown): boolean {
  return error instanceof ImageError
}

function elapsedMs(since: number): number {
  return Math.round(performance.now() - since)
}
