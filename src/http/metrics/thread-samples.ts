import type { Sample } from '../../base/obs/metric.ts'
import { readThreadGauges, type ThreadGauge } from '../../base/obs/request-counters.ts'

export function byThread(requests: SharedArrayBuffer, name: ThreadGauge): Sample[] {
  return readThreadGauges(requests).map((gauges, thread) => ({
    labels: { thread: String(thread) },
    value: gauges[name] ?? 0,
  }))
}

export function sumOfThreads(requests: SharedArrayBuffer, name: ThreadGauge): number {
  return readThreadGauges(requests).reduce((sum, gauges) => sum + (gauges[name] ?? 0), 0)
}
