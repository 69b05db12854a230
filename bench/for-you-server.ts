// What For You costs a whole server: its process with and without (SLIPSTREAM_FOR_YOU_MB=0), over the same events of the
// network's mix at full speed, in turns, with few and with many members. Processor time is per like that passed by, as a
// share of a core at the network's 281 a second; memory is the process's resident memory once all was taken in.

import { setTimeout as pause } from 'node:timers/promises'
import type { BenchOptions, BenchResult } from './runner/result.ts'
import { startLiveCommunity } from './world/live-community.ts'
import { makeReady } from './world/ready-events.ts'
import { caughtUp, searchable } from './world/settled.ts'

const LIKES_A_SECOND = 281
const LIKE = 'app.bsky.feed.like'
const DEFAULT_MB = '96'
const SETTLE_MS = 3_000

type Figures = { seconds: number; mb: number; likes: number }

export async function bench({ full }: BenchOptions): Promise<BenchResult[]> {
  const sizes = full ? [10, 1_000, 10_000] : [10]
  const options = full ? { poured: 100_000, rounds: 2 } : { poured: 10_000, rounds: 1 }
  const results: BenchResult[] = []
  for (const members of sizes) results.push(...(await compared(members, options)))
  return results
}

async function compared(
  members: number,
  { poured, rounds }: { poured: number; rounds: number },
): Promise<BenchResult[]> {
  const off: Figures[] = []
  const on: Figures[] = []
  for (let round = 0; round < rounds; round++) {
    off.push(await measure(members, poured, '0'))
    on.push(await measure(members, poured, DEFAULT_MB))
  }
  const least = (all: Figures[], what: 'seconds' | 'mb') => Math.min(...all.map((one) => one[what]))
  const more = (least(on, 'seconds') - least(off, 'seconds')) / on[0]!.likes
  const name = (what: string) => `for-you-server.${members}_members.${what}`
  return [
    { name: name('rss_without.mb'), value: least(off, 'mb'), unit: 'MB' },
    { name: name('rss_with.mb'), value: least(on, 'mb'), unit: 'MB' },
    { name: name('us_a_like'), value: more * 1e6, unit: 'µs' },
    { name: name('cpu_at_281.percent'), value: more * LIKES_A_SECOND * 100, unit: '% of a core' },
  ]
}

async function measure(members: number, poured: number, forYouMb: string): Promise<Figures> {
  const community = await startLiveCommunity({
    members,
    followsEach: 20,
    accounts: 200_000,
    listMean: 2,
    events: 5_000,
    retain: poured * 2,
    env: { FOR_YOU_MB: forYouMb },
  })
  const { app, double, next } = community
  await searchable(community.dataDir)
  const events = Array.from({ length: poured }, next)
  const pour = makeReady(double, events)
  const before = app.cpu().total
  pour()
  await caughtUp(app, poured)
  await pause(SETTLE_MS)
  const seconds = app.cpu().total - before
  const mb = app.resident().total
  await community.stop()
  const likes = events.filter((one) => 'collection' in one && one.collection === LIKE).length
  return { seconds, mb, likes }
}
