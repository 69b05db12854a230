// Gives back the memory that only a start needs. V8 shrinks a heap only with a full collection, which a thread
// with little to do does not need for hours: of 245 MB of an empty server, 50 were unused. One collection, once
// the thread has time, takes it 30 to 70 ms.

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { watchUtilization } from './utilization.ts'

const CHECK_MS = 5_000
/** Share of the time; the ingest thread needs up to a third beside a live stream while it indexes for search. */
const HAS_TIME = 0.5

/** Called by each thread as it begins its work. */
export function releaseStartMemory(checkMs: number = CHECK_MS): void {
  const utilization = watchUtilization()
  const timer = setInterval(() => {
    if (utilization() > HAS_TIME) return
    clearInterval(timer)
    collect()
  }, checkMs)
  timer.unref()
}

function collect(): void {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}
