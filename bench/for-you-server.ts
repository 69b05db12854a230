// What For You costs a whole server: its process with and without (SLIPSTREAM_FOR_YOU_MB=0), over the same number of the
// network's events at full speed, in turns, with few and with many members. Processor time is per like that passed by, as a
// share of a core at the network's 281 a second; memory is the process's resident memory once all was taken in.
// Then a member who likes 2,000 posts reads: what a session's first page costs the serving thread, and the pages behind it.

import { setTimeout as pause } from 'node:timers/promises'
import type { Emission } from '../test/support/jetstream-double/emission.ts'
import { cidOf, tidAt } from '../test/support/records.ts'
import { createDiscoverReader } from './for-you/discover-reader.ts'
import type { BenchOptions, BenchResult } from './runner/result.ts'
import { type LiveCommunity, startLiveCommunity } from './world/live-community.ts'
import { makeReady } from './world/ready-events.ts'
import { caughtUp, searchable } from './world/settled.ts'

const LIKES_A_SECOND = 281
const LIKE = 'app.bsky.feed.like'
const POST = 'app.bsky.feed.post'
const DEFAULT_MB = '96'
const SETTLE_MS = 3_000
const READER_LIKES = 2_000

type Figures = { seconds: number; mb: number; likes: number }

export async function bench({ full, wants }: BenchOptions): Promise<BenchResult[]> {
  const sizes = full ? [10, 1_000, 10_000] : [10]
  const options = full ? { poured: 20_000, rounds: 2 } : { poured: 5_000, rounds: 1 }
  const results: BenchResult[] = []
  for (const members of sizes) {
    if (wants(`for-you-server.${members}_members`)) {
      results.push(...(await compared(members, options)))
    }
  }
  if (wants('for-you-server.page')) results.push(...(await pages(full ? 30_000 : 8_000)))
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
  const least = (all: Figures[], what: 'seconds' | 'mb') =>
    Math.min(...all.map((figures) => figures[what]))
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
  const community = await start(members, poured, { FOR_YOU_MB: forYouMb })
  const { app, double, next } = community
  const events = Array.from({ length: poured }, next)
  const pour = makeReady(double, events)
  const before = app.cpu().total
  pour()
  await caughtUp(app, poured)
  await pause(SETTLE_MS)
  const seconds = app.cpu().total - before
  const mb = app.resident().total
  await community.stop()
  const likes = events.filter((event) => 'collection' in event && event.collection === LIKE).length
  return { seconds, mb, likes }
}

async function start(members: number, retain: number, env: Record<string, string>) {
  const community = await startLiveCommunity({
    members,
    followsEach: 20,
    accounts: 200_000,
    listMean: 2,
    events: 5_000,
    retain: retain * 2,
    env,
  })
  await searchable(community.dataDir)
  return community
}

/** All posts are kept, so that pages are full. */
async function pages(poured: number): Promise<BenchResult[]> {
  const community = await start(10, poured, { FOR_YOU_MB: DEFAULT_MB, INDEX_SCOPE: 'network' })
  const { app, double, next, world } = community
  const events = Array.from({ length: poured }, next)
  const likes = likesBy(world.members[0]!, events)
  makeReady(double, [...events, ...likes])()
  await caughtUp(app, poured + likes.length)
  await pause(SETTLE_MS)
  const reader = createDiscoverReader(community, world.members[0]!)
  const figures = await readAll(community, reader)
  await community.stop()
  return [
    { name: 'for-you-server.page.likes', value: likes.length, unit: 'likes' },
    { name: 'for-you-server.page.posts', value: figures.posts, unit: 'posts a page' },
    { name: 'for-you-server.page.first.ms', value: figures.first, unit: 'ms' },
    // None if each session ended with its first page.
    ...(figures.next === undefined
      ? []
      : [{ name: 'for-you-server.page.next.ms', value: figures.next, unit: 'ms' }]),
  ]
}

type Reader = ReturnType<typeof createDiscoverReader>

const SESSIONS = 12
const PAGES = 4

/** Medians of some sessions; the first two warm up. */
async function readAll({ app }: LiveCommunity, read: Reader) {
  const first: number[] = []
  const next: number[] = []
  let posts = 0
  for (let session = 0; session < SESSIONS; session++) {
    let cursor: string | undefined
    for (let page = 0; page < PAGES; page++) {
      const before = app.cpu().serving
      const answer = await read(cursor)
      const ms = (app.cpu().serving - before) * 1000
      if (session > 1) (page === 0 ? first : next).push(ms)
      if (session === 2 && page === 0) posts = answer.feed.length
      cursor = answer.cursor
      if (cursor === undefined) break
    }
  }
  return { first: median(first)!, next: median(next), posts }
}

function median(values: number[]): number | undefined {
  return values.toSorted((a, b) => a - b)[values.length >> 1]
}

/** Likes of every other post, as many as count. */
function likesBy(did: string, events: readonly Emission[]): Emission[] {
  const posts = events.flatMap((event) =>
    'collection' in event && event.collection === POST && event.operation === 'create'
      ? [event]
      : [],
  )
  const liked = posts.filter((_, i) => i % 2 === 0).slice(0, READER_LIKES)
  return liked.map((post, i) => {
    const timeUs = Date.now() * 1000 + i
    const subject = { uri: `at://${post.did}/${POST}/${post.rkey}`, cid: post.cid! }
    const record = { $type: LIKE, subject, createdAt: new Date().toISOString() }
    const key = { did, collection: LIKE, rkey: tidAt(timeUs), cid: cidOf(record) }
    return { kind: 'commit', operation: 'create', ...key, record, timeUs } as const
  })
}
