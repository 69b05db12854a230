// The memory of a test world: the real graph, timelines and lossiness, put together as the ingest
// thread does it.

import { createActorTable } from '../../src/graph/actor-table.ts'
import { createFollowGraph } from '../../src/graph/follow-graph.ts'
import type { Memory } from '../../src/indexing/memory.ts'
import { fanOut } from '../../src/timeline/fan-out.ts'
import { createKeeps } from '../../src/timeline/lossiness.ts'
import { createTimelines } from '../../src/timeline/rings.ts'

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
