// A page of a viewer's timeline as ids, read in another thread's manner (through the handle): flat,
// whatever the number of follows, because the timeline was written when the posts came. The baseline
// merges the newest posts of each followed account at read time.

import { createTimelines, openTimelines } from '../src/timeline/rings.ts'
import type { TimelineEntry } from '../src/timeline/types.ts'
import { createRandom } from '../test/support/random.ts'
import { bestNs, sink } from './cpu-time.ts'
import type { BenchResult } from './result.ts'

const VIEWERS = 1_000
const LENGTH = 1_000
const PAGE = 50
const READS = 20_000
const START_MS = 1_790_000_000_000

export function bench({ full }: { full: boolean }): BenchResult[] {
  const sizes: [string, number][] = [
    ['100', 100],
    ['100k', 100_000],
  ]
  if (full) sizes.push(['1m', 1_000_000])
  const results = sizes.flatMap(([label, follows]) => measure(label, follows))
  const usual = results.find(({ name }) => name === 'timeline.skeleton.100k.us')!
  return [{ ...usual, name: 'timeline.skeleton.us' }, ...results]
}

function measure(label: string, follows: number): BenchResult[] {
  const timelines = createTimelines(LENGTH)
  const random = createRandom(follows)
  for (let viewer = 1; viewer <= VIEWERS; viewer++) {
    timelines.open(viewer, makeEntries(random, follows), true)
  }
  const reader = openTimelines(timelines.handle)
  const first = bestNs(READS, () => {
    for (let i = 0; i < READS; i++) {
      sink.value += reader.read(1 + ((i * 7) % VIEWERS), undefined, PAGE)!.entries.length
    }
  })
  const before = { sortAt: START_MS + LENGTH * 500, rank: 0, item: 0 }
  const middle = bestNs(READS, () => {
    for (let i = 0; i < READS; i++) {
      sink.value += reader.read(1 + ((i * 7) % VIEWERS), before, PAGE)!.entries.length
    }
  })
  const baseline = measureMerge(follows)
  const name = `timeline.skeleton.${label}`
  return [
    { name: `${name}.us`, value: first / 1000, unit: 'µs' },
    { name: `${name}.deep.us`, value: middle / 1000, unit: 'µs' },
    { name: `${name}.baseline.us`, value: baseline / 1000, unit: 'µs' },
    { name: `${name}.ratio`, value: baseline / first, unit: 'x' },
  ]
}

function makeEntries(random: ReturnType<typeof createRandom>, follows: number): TimelineEntry[] {
  return Array.from({ length: LENGTH }, (_, i) => ({
    sortAt: START_MS + i * 1_000 + random.below(1_000),
    rank: random.below(32_768),
    item: random.below(2 ** 31),
    originator: 1 + random.below(follows),
  }))
}

/** One newest post an account, the best fifty picked by a bounded insertion. */
function measureMerge(follows: number): number {
  const random = createRandom(follows + 1)
  const newest = Float64Array.from({ length: follows }, () => START_MS + random.below(1e9))
  const reads = Math.max(1, Math.floor(1_000_000 / follows))
  return bestNs(reads, () => {
    for (let i = 0; i < reads; i++) sink.value += pickNewest(newest).length
  })
}

function pickNewest(newest: Float64Array): number[] {
  const best: number[] = []
  for (let i = 0; i < newest.length; i++) {
    const time = newest[i]!
    if (best.length === PAGE && time <= best[PAGE - 1]!) continue
    let at = best.length < PAGE ? best.length : PAGE - 1
    for (; at > 0 && best[at - 1]! < time; at--) best[at] = best[at - 1]!
    best[at] = time
  }
  return best
}
