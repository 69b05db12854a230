// docs/METRICS.md, generated from the table of metrics at /metrics (src/http/metrics/metrics.ts).

import Database from 'better-sqlite3'
import { createCounterSpace } from '../../src/base/obs/request-counters.ts'
import { loadServeFeatures } from '../../src/http/feature.ts'
import { metricSources } from '../../src/http/metrics/metrics.ts'

const ofFeatures = (await loadServeFeatures()).flatMap(({ metrics }) => metrics ?? [])

export function metricsPage(): string {
  const sources = metricSources({
    status: () => undefined,
    requests: createCounterSpace(1),
    methods: [],
    db: new Database(':memory:'),
    ofFeatures,
  })
  const rows = sources.map(({ name, type, help }) => `| \`${name}\` | ${type} | ${help} |`)
  return `# Metrics

The metrics that Prometheus reads at \`/metrics\`, generated from the code by \`npm run docs\`.
\`SLIPSTREAM_METRICS\` sets who may read them. Counters reset with the process; request metrics are summed
over all serving threads. Labels are methods, statuses and reasons, never an account
or address; only the bytes of streams name hosts, those that you chose.

| metric | type | meaning |
| --- | --- | --- |
${rows.join('\n')}
`
}
