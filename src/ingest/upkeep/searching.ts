// Works on the search index between the batches, a slice at a time: a twentieth of the time while the
// thread is busy catching up with the stream, which then hardly notices, and a fifth while it is not.
// What members write is found a tenth of a second later, as long as there is no more to do than that.

import { type SearchUpkeep, tendSearch } from '../indexing/search-upkeep.ts'
import type { DiskRoom } from './disk/disk-room.ts'

const IDLE_WAIT_MS = 100
const SHORTEST_WAIT_MS = 10
/** So many times as long as a slice took, nothing is done after it. */
const REST = { busy: 19, calm: 4 }
/** Of the thread's time, since the last slice. */
const BUSY_FROM = 0.6

export function keepSearchable(
  upkeep: SearchUpkeep & {
    /** Between two slices, as between two batches; what it returns is waited for. */
    checkpoint: () => Promise<void> | undefined
    room: Pick<DiskRoom, 'ifThereIsRoom'>
  },
): { stop(): void } {
  let timer = setTimeout(work, IDLE_WAIT_MS)
  let before = performance.eventLoopUtilization()
  let isStopped = false

  function work(): void {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    const startedAt = performance.now()
    let isLeft = false
    upkeep.room.ifThereIsRoom(() => {
      isLeft = tendSearch(upkeep, () => true)
    })
    const rest = (performance.now() - startedAt) * REST[utilization > BUSY_FROM ? 'busy' : 'calm']
    const held = isLeft ? upkeep.checkpoint() : undefined
    const goOn = () => workAfter(isLeft ? Math.max(rest, SHORTEST_WAIT_MS) : IDLE_WAIT_MS)
    if (held) void held.then(goOn)
    else goOn()
  }

  function workAfter(waitMs: number): void {
    if (!isStopped) timer = setTimeout(work, waitMs)
  }

  return {
    stop: () => {
      isStopped = true
      clearTimeout(timer)
    },
  }
}
