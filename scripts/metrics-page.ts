// docs/METRICS.md, generated from the table of metrics at /metrics (src/http/metrics/metrics.ts).

import Database from 'better-sqlite3'
import { createCounterSpace } from '../src/base/obs/request-counters.ts'
import { metricSources } from '../src/http/metrics/metrics.ts'

export function metricsPage(): string {
  const sources = metricSources({
    status: () => undefined,
    requests: createCounterSpace(1),
    methods: [],
    db: new Database(':memory:'),
  })
  const rows = sources.map(({ name, type, help }) => `| \`${name}\` | ${type} | ${help} |`)
  return `# Metrics

What \`/metrics\` tells Prometheus, made from the code by \`npm run docs\`. Who may read it is
\`SLIPSTREAM_METRICS\`. Counters start anew with the process; what is told of requests is summed over all
serving threads, whichever answers. Labels are methods, statuses and reasons: no account, host or
address is one.

| metric | type | meaning |
| --- | --- | --- |
${rows.join('\n')}
`
}
