// Works on the search index between the batches, a slice at a time: a twentieth of the time while the
// thread is busy catching up with the stream, which then hardly notices, and a fifth while it is not.
// What members write is found a tenth of a second later, as long as there is no more to do than that.

import { type SearchUpkeep, tendSearch } from '../indexing/search-upkeep.ts'
import { type SliceParts, workInSlices } from './slices.ts'

const IDLE_WAIT_MS = 100
const SHORTEST_WAIT_MS = 10
/** So many times as long as a slice took, nothing is done after it. */
const REST = { busy: 19, calm: 4 }
/** Of the thread's time, since the last slice. */
const BUSY_FROM = 0.6

export function keepSearchable(upkeep: SearchUpkeep & SliceParts): { stop(): void } {
  let before = performance.eventLoopUtilization()

  function restTimes(): number {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    return REST[utilization > BUSY_FROM ? 'busy' : 'calm']
  }

  return workInSlices({
    ...{ checkpoint: upkeep.checkpoint, room: upkeep.room, restTimes },
    ...{ shortestMs: SHORTEST_WAIT_MS, idleMs: IDLE_WAIT_MS },
    slice: () => tendSearch(upkeep, () => true),
  })
}
