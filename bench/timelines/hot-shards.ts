// Whether lossy timelines pay off: a sharded timeline store (hot-shards/model.ts) with and without the limit,
// over 20 seeds; how sensitive the result is to the assumptions; and what readers see at each limit, with the
// product's own draw. docs/LOSSY-TIMELINES.md presents it, from docs/plots/data.json.

import { hashDraw, keepShare } from '../../src/data/graph/lossiness.ts'
import { compare, figures, LARGE, SMALL, seeds } from '../hot-shards/compare.ts'
import { measureStore, POSTS_A_DAY, type Store } from '../hot-shards/model.ts'
import type { BenchOptions, BenchResult } from '../runner/result.ts'

const LIMITS = [500, 1_000, 2_000, 4_000, 8_000, 16_000]
const READERS = [500, 5_000, 500_000]
const ITEMS = 200_000

type Variant = [name: string, change: Partial<Store>]

/** Half and twice the assumed values. */
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
  const store = full ? LARGE : SMALL
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

function atLimit(store: Store, of: readonly number[], limit: number): BenchResult[] {
  return figures(
    `hot-shards.limit.${limit}`,
    of.map((seed) => measureStore(store, seed, limit)),
  )
}

/**
 * Posts per day in the timeline of an account with this many follows, drawn as the product draws.
 */
function whatReadersSee(follows: number): BenchResult[] {
  return LIMITS.flatMap((limit) => {
    const share = keepShare(limit, follows)
    let retained = 0
    for (let item = 1; item <= ITEMS; item++) if (hashDraw(item, follows) < share) retained++
    const name = `hot-shards.reader.${follows}.limit.${limit}`
    const aDay = (follows * POSTS_A_DAY * retained) / ITEMS
    return [
      { name: `${name}.posts_a_day`, value: aDay, unit: 'posts a day' },
      { name: `${name}.kept`, value: (100 * retained) / ITEMS, unit: '%' },
    ]
  })
}
