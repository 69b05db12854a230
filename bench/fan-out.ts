// One post to all its author's followers, every one of whom has a timeline in memory: writes a
// second, and with --full the milliseconds for 2,000,000 of them. Each timeline is warm (its memory
// touched) and full, as it is in a running process. The baseline pushes to arrays in a Map.

import { createFollowGraph } from '../src/graph/follow-graph.ts'
import { fanOut } from '../src/timeline/fan-out.ts'
import { createKeeps } from '../src/timeline/lossiness.ts'
import { createTimelines } from '../src/timeline/rings.ts'
import type { TimelineEntry } from '../src/timeline/types.ts'
import { bestNs } from './cpu-time.ts'
import type { BenchResult } from './result.ts'

/** Of each timeline; 2,000,000 of a thousand would be 32 GB. */
const LENGTH = 32
const NOBODY_IS_A_CELEBRITY = { flagsOf: () => 0 }

export function bench({ full }: { full: boolean }): BenchResult[] {
  const followers = full ? 2_000_000 : 200_000
  const ours = measureRings(followers)
  const baseline = measureArrays(followers)
  const results: BenchResult[] = [
    { name: 'fanout.writes_per_s', value: 1e9 / ours, unit: '/s' },
    { name: 'fanout.writes_per_s.baseline', value: 1e9 / baseline, unit: '/s' },
    { name: 'fanout.writes_per_s.ratio', value: baseline / ours, unit: 'x' },
    { name: 'fanout.write.ns', value: ours, unit: 'ns' },
  ]
  if (full) results.push({ name: 'fanout.2m.ms', value: (ours * followers) / 1e6, unit: 'ms' })
  return results
}

function entryAt(i: number, originator: number): TimelineEntry {
  return { sortAt: 1_790_000_000_000 + i, rank: i & 0x7fff, item: i * 2, originator }
}

function measureRings(followers: number): number {
  const graph = createFollowGraph()
  const timelines = createTimelines(LENGTH)
  const originator = followers + 1
  for (let uid = 1; uid <= followers; uid++) {
    graph.add(uid, originator)
    timelines.open(uid, [], false)
  }
  const keeps = createKeeps({ graph, limit: 2_000 })
  const parts = { graph, timelines, keeps, actors: NOBODY_IS_A_CELEBRITY }
  let i = 1
  for (; i <= LENGTH; i++) fanOut(parts, entryAt(i, originator))
  return bestNs(followers, () => {
    const written = fanOut(parts, entryAt(i++, originator))
    if (written !== followers) throw new Error(`${written} of ${followers} timelines were written`)
  })
}

function measureArrays(followers: number): number {
  const timelines = new Map<number, TimelineEntry[]>()
  const list = new Set<number>()
  for (let uid = 1; uid <= followers; uid++) {
    timelines.set(uid, [])
    list.add(uid)
  }
  let i = 1
  const write = () => {
    const entry = entryAt(i++, followers + 1)
    for (const uid of list) {
      const timeline = timelines.get(uid)!
      timeline.push(entry)
      if (timeline.length > LENGTH) timeline.shift()
    }
  }
  for (let round = 0; round < LENGTH; round++) write()
  return bestNs(followers, write)
}
