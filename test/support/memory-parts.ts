// The memory of a test world: the real graph, timelines and lossiness, assembled as on the ingest thread.

import { createFollowGraph, createTimelines } from '@slipstream/follow-graph'
import { createActorTable } from '../../src/data/graph/actor-table.ts'
import { createIsDrawn, drawByHash } from '../../src/data/graph/lossiness.ts'
import type { Db } from '../../src/data/store/db.ts'
import { prepareItemDraw } from '../../src/data/store/read/timelines/item-draw.ts'
import { fanOut } from '../../src/ingest/indexing/memory/fan-out.ts'
import type { Memory } from '../../src/ingest/indexing/memory/memory.ts'

export type MemorySettings = {
  timelineLength: number
  reasonableLimit: number
  celebrityThreshold: number
}

export function createMemoryParts(settings: MemorySettings) {
  const { timelineLength, celebrityThreshold, reasonableLimit } = settings
  const actors = createActorTable()
  const graph = createFollowGraph()
  const timelines = createTimelines(timelineLength)
  const isHashDrawn = createIsDrawn({ graph, limit: reasonableLimit, draw: drawByHash(actors) })
  const parts = { graph, actors, timelines, isHashDrawn }
  return {
    ...parts,
    fanOut: (entry, hash) => fanOut(parts, entry, hash).written,
    celebrityThreshold,
    timelineLength,
  } satisfies Memory
}

/** Draws from the items' rows, as a serving thread does. */
export function storesFromRows(
  db: Db,
  { actors, graph }: Pick<Memory, 'actors' | 'graph'>,
  limit = 2000,
) {
  const draw = prepareItemDraw(db, actors)
  return { draw, isDrawn: createIsDrawn({ graph, limit, draw }) }
}
