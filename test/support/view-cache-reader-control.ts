// Data shared by the test and its reading threads (view-cache-reader.ts).

import type { FollowGraphHandle } from '@slipstream/follow-graph'
import type { ActorTableHandle } from '../../src/data/graph/actor-table.ts'

export type ReaderData = {
  dataDir: string
  actors: ActorTableHandle
  graph: FollowGraphHandle
  invalidations: SharedArrayBuffer
  /** Slots as in CONTROL. */
  control: SharedArrayBuffer
  viewers: string[]
}

export const CONTROL = { order: 0, answers: 1, differences: 2, presented: 3 } as const
export const ORDER = { present: 0, compare: 1, stop: 2 } as const
