// The simulated store with and without the limit, over several seeds: the median of each figure, and the
// reduction due to the limit.

import { quantile } from '../runner/quantile.ts'
import type { BenchResult } from '../runner/result.ts'
import { type Measured, measureStore, type Store } from './model.ts'

export const LARGE: Store = {
  timelines: 2_000_000,
  shards: 300,
  hotAccounts: 150,
  writeMs: 0.8,
  cutMs: 0,
  cutMsPerRate: 2,
  cutEvery: 20,
  writesPerShard: 4_000,
}
export const SMALL: Store = {
  ...LARGE,
  timelines: 20_000,
  shards: 20,
  hotAccounts: 12,
  writesPerShard: 400,
}
const LIMIT = 2_000

export function seeds(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i + 1)
}

/** Medians over all seeds, and the least and greatest reduction due to the limit. */
export function compare(name: string, store: Store, of: readonly number[]): BenchResult[] {
  const before = of.map((seed) => measureStore(store, seed, 0))
  const after = of.map((seed) => measureStore(store, seed, LIMIT))
  const less = (figure: keyof Measured) =>
    before
      .map((measured, i) => 100 * (1 - after[i]![figure] / measured[figure]))
      .sort((a, b) => a - b)
  const spread = (figure: keyof Measured, called: string) => {
    const all = less(figure)
    return [
      { name: `${name}.${called}.less`, value: quantile(all, 0.5), unit: '%' },
      { name: `${name}.${called}.less_least`, value: all[0]!, unit: '%' },
      { name: `${name}.${called}.less_most`, value: all.at(-1)!, unit: '%' },
    ]
  }
  return [
    ...figures(`${name}.before`, before),
    ...figures(`${name}.after`, after),
    ...spread('pageP99Ms', 'page_p99'),
    ...spread('jobP99S', 'job_p99'),
  ]
}

export function figures(name: string, all: readonly Measured[]): BenchResult[] {
  const middle = (figure: keyof Measured) =>
    quantile(
      all.map((measured) => measured[figure]).sort((a, b) => a - b),
      0.5,
    )
  return [
    { name: `${name}.busiest_shard`, value: 100 * middle('busiest'), unit: '%' },
    { name: `${name}.median_shard`, value: 100 * middle('median'), unit: '%' },
    { name: `${name}.write_p99_ms`, value: middle('writeP99Ms'), unit: 'ms' },
    { name: `${name}.page_p99_ms`, value: middle('pageP99Ms'), unit: 'ms' },
    { name: `${name}.job_p50_s`, value: middle('jobP50S'), unit: 's' },
    { name: `${name}.job_p99_s`, value: middle('jobP99S'), unit: 's' },
    { name: `${name}.writes_saved`, value: 100 * middle('writesSaved'), unit: '%' },
  ]
}
