// Metrics of what the streams receive, in bytes. `host` is one of the configured ones.

import { counter, gauge, type MetricSource, type Sample } from '../../base/obs/metric.ts'
import type { IngestStatus } from '../../bridge/messages.ts'
import type { SourceTraffic } from '../../sources/traffic.ts'

export function trafficMetrics(status: () => IngestStatus | undefined): MetricSource[] {
  const sources = () => status()?.traffic?.sources ?? []
  const facts = () => status()?.traffic?.facts
  const choice = () => status()?.traffic?.choice
  return [
    counter(
      'stream_socket_bytes_total',
      'Bytes received by the streams’ sockets, TLS included, by host, wire and use (stream, authors, replay, repair).',
      () =>
        sources().map(({ host, wire, use, socketBytes }) => ({
          labels: { host, wire, use },
          value: socketBytes,
        })),
    ),
    counter(
      'stream_frame_bytes_total',
      'Bytes of the streams’ frames, by collection or kind of event, received and plain (uncompressed).',
      () => frameSamples(sources()),
    ),
    gauge(
      'stream_source_lag_seconds',
      'How far behind the network the last event of each relay was.',
      () =>
        sources().flatMap(({ host, wire, use, lagMs }) =>
          lagMs === undefined ? [] : [{ labels: { host, wire, use }, value: lagMs / 1000 }],
        ),
    ),
    gauge(
      'stream_ahead_bytes',
      'What the streams will receive in a day and in a month of 30 days, at the pace of the last seven days.',
      () => aheadSamples({ day: facts()?.dayAhead, month: facts()?.monthAhead }),
    ),
    gauge(
      'stream_month_bytes',
      'Bytes received by the streams since the first of the month, UTC.',
      () => aheadSamples({ '': facts()?.thisMonth }).map(({ value }) => ({ value })),
    ),
    gauge(
      'stream_left_out_level',
      'What of strangers the stream leaves out to stay within the month’s budget: 0 nothing, 1 likes, 2 and reposts, 3 and follows, 4 everything.',
      () => (choice() ? [{ value: choice()!.level }] : []),
    ),
    gauge(
      'stream_choice_month_bytes',
      'Bytes that a month of 30 days costs with each choice of what to leave out, by its level.',
      () =>
        (choice()?.choices ?? []).flatMap(({ monthBytes }, level) =>
          monthBytes === undefined ? [] : [{ labels: { level: String(level) }, value: monthBytes }],
        ),
    ),
  ]
}

function frameSamples(sources: readonly SourceTraffic[]): Sample[] {
  const sums = new Map<string, { received: number; plain: number }>()
  for (const [kind, bytes] of sources.flatMap(({ frames }) => Object.entries(frames))) {
    const { received, plain } = sums.get(kind) ?? { received: 0, plain: 0 }
    sums.set(kind, { received: received + bytes.received, plain: plain + bytes.plain })
  }
  return [...sums].flatMap(([kind, { received, plain }]) => [
    { labels: { kind, form: 'received' }, value: received },
    { labels: { kind, form: 'plain' }, value: plain },
  ])
}

function aheadSamples(spans: Record<string, number | undefined>): Sample[] {
  return Object.entries(spans).flatMap(([span, value]) =>
    value === undefined ? [] : [{ labels: { span }, value }],
  )
}
