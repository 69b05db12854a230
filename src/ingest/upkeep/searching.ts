// Works on the search index between batches, a slice at a time: a twentieth of the time while the thread is
// busy catching up with the stream, which hardly slows it, and a fifth otherwise. Members' posts become
// searchable within a quarter of a second, as long as there is no backlog.

import { watchUtilization } from '../../base/util/utilization.ts'
import { type SearchUpkeep, tendSearch } from '../indexing/search/search-upkeep.ts'
import { type SliceContext, workInSlices } from './slices.ts'

const IDLE_WAIT_MS = 250
const SHORTEST_WAIT_MS = 10
/** Rest after a slice, as a multiple of its duration. */
const REST = { busy: 19, calm: 4 }
/** The thread's utilisation since the last slice. */
const BUSY_FROM = 0.6

export function startSearchIndexing(upkeep: SearchUpkeep & SliceContext): { stop(): void } {
  const utilization = watchUtilization()
  const restTimes = () => REST[utilization() > BUSY_FROM ? 'busy' : 'calm']

  return workInSlices({
    checkpoint: upkeep.checkpoint,
    diskSpace: upkeep.diskSpace,
    restTimes,
    shortestMs: SHORTEST_WAIT_MS,
    idleMs: IDLE_WAIT_MS,
    slice: () => tendSearch(upkeep, () => true),
  })
}
