// Gives memory back that a thread needed only for its start or while it caught up. V8 does so only in its “last
// resort” collection, which it runs by itself only in threads that hardly allocate. After any other, pages that are
// no longer used stay resident in a pool that no statistics count. Takes a thread 0.1 to 0.2 s, half of it waiting
// for helpers (docs/notes/2026-11-27-unused-memory-goes-back.md).

import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { watchUtilization } from './utilization.ts'

const CHECK_MS = 5_000
/** Share of the time; the ingest thread needs up to a third beside a live stream while it indexes for search. */
const HAS_TIME = 0.5
/**
 * The same for a thread that answers requests, after its start: a collection then delays so few
 * requests that the 99th percentile does not show it.
 */
export const NEARLY_IDLE = 0.1
/**
 * How much a heap grows before it is collected again, and how many checks must have passed since the
 * last collection and since the thread was last busy: a thread that was collected between two loads
 * is slower for a while. Beside a live stream alone a heap grows by 40 MB.
 */
const GROWTH_BYTES = 48 * 2 ** 20
const REST_CHECKS = 12

/**
 * Called by each thread as it begins its work: after the start, and whenever the heap has grown.
 * @param options - `hasTime`: how much of its time the thread may be busy when its heap has grown;
 * `alsoRelease`: called after each collection, for memory outside of the heap
 */
export function releaseUnusedMemory({
  hasTime = HAS_TIME,
  checkMs = CHECK_MS,
  alsoRelease = () => {},
} = {}): void {
  const utilization = watchUtilization()
  let collectFrom = 0
  let peak = 0
  let resting = 0
  const timer = setInterval(() => {
    const isAgain = collectFrom > 0
    const isBusy = utilization() > (isAgain ? hasTime : HAS_TIME)
    peak = Math.max(peak, committed())
    if (isBusy && isAgain) resting = REST_CHECKS
    if (resting-- > 0 || isBusy || peak < collectFrom) return
    collect()
    alsoRelease()
    peak = committed()
    collectFrom = peak + GROWTH_BYTES
    resting = REST_CHECKS
  }, checkMs)
  timer.unref()
}

function committed(): number {
  return getHeapStatistics().total_heap_size
}

function collect(): void {
  setFlagsFromString('--expose-gc')
  runInNewContext("gc({ type: 'major', execution: 'sync', flavor: 'last-resort' })")
}
