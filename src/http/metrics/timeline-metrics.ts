// Metrics of timelines: what fan-out writes, what the limit on huge timelines saves, and how long a post
// takes. The duration of pages is among the request metrics.

import {
  counter,
  histogramSamples,
  type MetricSource,
  type Sample,
  single,
} from '../../base/obs/metric.ts'
import type { FanOutStatus, IngestStatus } from '../../bridge/messages.ts'

const SECONDS = 'slipstream_fan_out_seconds'
const SIZES = 'slipstream_fan_out_timelines'

export function timelineMetrics(parts: { status: () => IngestStatus | undefined }): MetricSource[] {
  const fanOut = () => parts.status()?.fanOut
  const histogram = (name: string, of: 'seconds' | 'sizes'): Sample[] => {
    const counts = fanOut()?.[of]
    return counts ? histogramSamples(name, {}, counts) : []
  }
  return [
    counter(
      'timeline_writes_total',
      'Items written to timelines, by fan-out and after new follows.',
      () => single(parts.status()?.counts['timelineWrites']?.['items']),
    ),
    counter(
      'timeline_writes_left_out_total',
      'Items that fan-out left out of timelines whose owners follow more than SLIPSTREAM_REASONABLE_LIMIT; absent if that is 0.',
      () => single(leftOutOf(fanOut())),
    ),
    {
      name: SECONDS,
      type: 'histogram',
      help: 'Time to write a post to the open timelines of its author’s followers.',
      read: () => histogram(SECONDS, 'seconds'),
    },
    {
      name: SIZES,
      type: 'histogram',
      help: 'Open timelines per post, including those that left it out; posts without any are not counted.',
      read: () => histogram(SIZES, 'sizes'),
    },
  ]
}

function leftOutOf(fanOut: FanOutStatus | undefined): number | undefined {
  return fanOut?.isLossy ? fanOut.total.leftOut : undefined
}
