// The table of metrics: docs/METRICS.md matches it, and the names follow Prometheus' conventions.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { metricsPage } from '../../../scripts/docs/metrics-page.ts'
import { loadConfig } from '../../../src/base/config/config.ts'
import { features } from '../../../src/base/feature.ts'

const rows = [...metricsPage().matchAll(/^\| `(\w+)` \| (\w+) \| (.+) \|$/gm)]

test.skipIf(features.length === 0)('docs/METRICS.md is what npm run docs writes', () => {
  const path = join(import.meta.dirname, '../../../docs/METRICS.md')
  expect(readFileSync(path, 'utf8')).toBe(metricsPage())
})

test('names are unique, counters end in _total, and units are base units in the plural', () => {
  const names = rows.map((row) => row[1]!)
  expect(names.length).toBeGreaterThan(25)
  expect(new Set(names).size).toBe(names.length)
  for (const [, name, type, help] of rows) {
    expect(name).toMatch(/^(slipstream|process)_[a-z_]+$/)
    expect(name!.endsWith('_total'), name).toBe(type === 'counter')
    expect(name, 'not a base unit').not.toMatch(/_(ms|milliseconds|kb|mb|percent)(_|$)/)
    expect(help!.endsWith('.'), help).toBe(true)
  }
})

test('an operator’s metrics are refused without a token, with a remedy', () => {
  const env = { SLIPSTREAM_METRICS: 'operator' }
  expect(() => loadConfig(env, '/nonexistent/.env')).toThrow(/METRICS is operator/)
  const token = { SLIPSTREAM_OPERATOR_TOKEN: 'a-token-of-the-operator' }
  expect(loadConfig({ ...env, ...token }, '/nonexistent/.env').metrics).toBe('operator')
})
