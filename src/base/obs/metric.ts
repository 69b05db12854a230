// A metric for prom-client whose values are read when scraped: the counting is done elsewhere in plain
// counters of our own, so that it costs next to nothing.

import { type Metric, Registry, type RegistryContentType } from 'prom-client'
import type { HistogramCounts } from './histogram.ts'

export type Sample = { labels?: Record<string, string | number>; value: number; name?: string }

export type MetricSource = {
  name: string
  type: 'counter' | 'gauge' | 'histogram'
  help: string
  read: () => Sample[]
}

/** `openmetrics` is OpenMetrics 1.0, which Prometheus asks for; the other is its older text format. */
export type MetricFormat = 'text' | 'openmetrics'

/** @throws if two have the same name. */
export function createRegistry(
  sources: readonly MetricSource[],
  format: MetricFormat = 'text',
): Registry<RegistryContentType> {
  const isOpen = format === 'openmetrics'
  const registry = new Registry<RegistryContentType>()
  if (isOpen) registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE)
  for (const source of sources) {
    registry.registerMetric(isOpen ? openMetric(source) : asMetric(source))
  }
  return registry
}

/** The family of a counter has no suffix, and bounds are written as floats. */
function openMetric(source: MetricSource): Metric {
  const name = source.type === 'counter' ? source.name.replace(/_total$/, '') : source.name
  const read = () => source.read().map((sample) => ({ ...sample, labels: floatBound(sample) }))
  return asMetric({ ...source, name, read })
}

function floatBound({ labels = {} }: Sample): NonNullable<Sample['labels']> {
  const { le } = labels
  return Number.isInteger(le) ? { ...labels, le: `${le}.0` } : labels
}

/**
 * A registry uses only a metric's name and values, although its type requires prom-client's own
 * classes.
 */
function asMetric({ name, help, type, read }: MetricSource): Metric {
  const get = async () => ({
    name,
    help,
    type,
    aggregator: 'sum',
    values: read().map(({ labels = {}, value, name: metricName }) => ({
      labels,
      value,
      ...(metricName && { metricName }),
    })),
  })
  return { name, type, get } as unknown as Metric
}

/** One value without labels; none if it is unknown. */
export function single(value: number | undefined): Sample[] {
  return value === undefined || !Number.isFinite(value) ? [] : [{ value }]
}

/** One value per key. */
export function byLabel(label: string, values: Readonly<Record<string, number>> = {}): Sample[] {
  return Object.entries(values).map(([key, value]) => ({ labels: { [label]: key }, value }))
}

/** The lines of one histogram. @param counts - per bucket, not cumulative */
export function histogramSamples(
  name: string,
  labels: Record<string, string>,
  { bounds, counts, sum }: HistogramCounts,
): Sample[] {
  let total = 0
  const buckets = counts.map((count, i): Sample => {
    total += count
    const le = bounds[i] ?? '+Inf'
    return { name: `${name}_bucket`, labels: { ...labels, le }, value: total }
  })
  return [
    ...buckets,
    { name: `${name}_sum`, labels, value: sum },
    { name: `${name}_count`, labels, value: total },
  ]
}

export function counter(name: string, help: string, read: () => Sample[]): MetricSource {
  return { name: `slipstream_${name}`, type: 'counter', help, read }
}

export function gauge(name: string, help: string, read: () => Sample[]): MetricSource {
  return { name: `slipstream_${name}`, type: 'gauge', help, read }
}
