// The memory of a test world: the real graph, timelines and lossiness, put together as the ingest
// thread does it.

import { createActorTable } from '../../src/data/graph/actor-table.ts'
import { createFollowGraph } from '../../src/data/graph/follow-graph.ts'
import { fanOut } from '../../src/data/timeline/fan-out.ts'
import { createKeeps } from '../../src/data/timeline/lossiness.ts'
import { createTimelines } from '../../src/data/timeline/rings.ts'
import type { Memory } from '../../src/ingest/indexing/memory.ts'

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
  const keeps = createKeeps({ graph, limit: reasonableLimit })
  const parts = { graph, actors, timelines, keeps }
  return {
    ...parts,
    fanOut: (entry) => fanOut(parts, entry),
    celebrityThreshold,
    timelineLength,
  } satisfies Memory
}
