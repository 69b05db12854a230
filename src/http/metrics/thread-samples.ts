import type { Sample } from '../../base/obs/metric.ts'
import { readThreadGauge, type ThreadGauge } from '../../base/obs/request-counters.ts'

export function byThread(requests: SharedArrayBuffer, name: ThreadGauge): Sample[] {
  return readThreadGauge(requests, name).map((value, thread) => ({
    labels: { thread: String(thread) },
    value,
  }))
}

export function sumOfThreads(requests: SharedArrayBuffer, name: ThreadGauge): number {
  return readThreadGauge(requests, name).reduce((sum, value) => sum + value, 0)
}
