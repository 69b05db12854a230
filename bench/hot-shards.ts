// Whether lossy timelines pay: a sharded timeline store (hot-shards/model.ts) with and without the limit, over 20
// seeds, and how much that depends on what was assumed; and what readers see at each limit, by the draw that the
// product makes. docs/LOSSY-TIMELINES.md tells it, from docs/plots/data.json.

import { hashDraw, keepShare } from '../src/data/timeline/lossiness.ts'
import {
  type Measured,
  measureStore,
  POSTS_A_DAY,
  quantile,
  type Store,
} from './hot-shards/model.ts'
import type { BenchOptions, BenchResult } from './result.ts'

const STORE: Store = {
  timelines: 2_000_000,
  shards: 300,
  hotAccounts: 150,
  cutMsPerRate: 2,
  writesPerShard: 4_000,
}
const SMALL: Store = {
  ...STORE,
  timelines: 20_000,
  shards: 20,
  hotAccounts: 12,
  writesPerShard: 400,
}
const LIMIT = 2_000
const LIMITS = [500, 1_000, 2_000, 4_000, 8_000, 16_000]
const READERS = [500, 5_000, 500_000]
const ITEMS = 200_000

type Variant = [name: string, change: Partial<Store>]

/** Half and twice what was assumed. */
function variants({ cutMsPerRate, hotAccounts }: Store): Variant[] {
  return [
    ['cut_half', { cutMsPerRate: cutMsPerRate / 2 }],
    ['cut_twice', { cutMsPerRate: cutMsPerRate * 2 }],
    ['no_cut', { cutMsPerRate: 0 }],
    ['hot_half', { hotAccounts: hotAccounts / 2 }],
    ['hot_twice', { hotAccounts: hotAccounts * 2 }],
    ['no_hot', { hotAccounts: 0 }],
  ]
}

export function bench({ full, wants }: BenchOptions): BenchResult[] {
  const store = full ? STORE : SMALL
  const few = seeds(full ? 3 : 1)
  return [
    ...compare('hot-shards', store, seeds(full ? 20 : 2)),
    ...(wants('hot-shards.limit') ? LIMITS.flatMap((limit) => atLimit(store, few, limit)) : []),
    ...variants(store).flatMap(([name, change]) =>
      wants(`hot-shards.${name}`)
        ? compare(`hot-shards.${name}`, { ...store, ...change }, few)
        : [],
    ),
    ...READERS.flatMap(whatReadersSee),
  ]
}

function seeds(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i + 1)
}

/** The middle of all seeds, and the least and the most of what the limit takes away. */
function compare(name: string, store: Store, of: readonly number[]): BenchResult[] {
  const before = of.map((seed) => measureStore(store, seed, 0))
  const after = of.map((seed) => measureStore(store, seed, LIMIT))
  const less = (figure: keyof Measured) =>
    before.map((one, i) => 100 * (1 - after[i]![figure] / one[figure])).sort((a, b) => a - b)
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

function atLimit(store: Store, of: readonly number[], limit: number): BenchResult[] {
  return figures(
    `hot-shards.limit.${limit}`,
    of.map((seed) => measureStore(store, seed, limit)),
  )
}

function figures(name: string, all: readonly Measured[]): BenchResult[] {
  const middle = (figure: keyof Measured) =>
    quantile(
      all.map((one) => one[figure]).sort((a, b) => a - b),
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

/** Posts a day in the timeline of somebody with so many follows, drawn as the product draws. */
function whatReadersSee(follows: number): BenchResult[] {
  return LIMITS.flatMap((limit) => {
    const share = keepShare(limit, follows)
    let kept = 0
    for (let item = 1; item <= ITEMS; item++) if (hashDraw(item, follows) < share) kept++
    const name = `hot-shards.reader.${follows}.limit.${limit}`
    const aDay = (follows * POSTS_A_DAY * kept) / ITEMS
    return [
      { name: `${name}.posts_a_day`, value: aDay, unit: 'posts a day' },
      { name: `${name}.kept`, value: (100 * kept) / ITEMS, unit: '%' },
    ]
  })
}
