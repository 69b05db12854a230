// Search by name and by words. Accounts: names made of syllables, some far more common than others, with
// power-law followers, inserted directly into the index; then each letter of an account's name is typed, by a
// viewer who follows a thousand of them. Posts: all records of a small network (world/network-stream.ts) are
// indexed as the ingest thread does it, and then their words.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createActorSearch } from '../src/answers/skeleton/search/actors.ts'
import { createPostSearch } from '../src/answers/skeleton/search/posts.ts'
import { type Db, openReader, openWriter, type WriteDb } from '../src/data/store/db.ts'
import { changeIndexedActors, toIndexedActor } from '../src/data/store/search/actor-index.ts'
import { actorNames } from '../src/data/store/search/actor-terms.ts'
import { indexedPosts } from '../src/data/store/search/post-index.ts'
import { matchOf, parsePostQuery } from '../src/data/store/search/post-query.ts'
import { tendSearch } from '../src/ingest/indexing/search/search-upkeep.ts'
import { createRandom, type Random } from '../test/support/random.ts'
import { writerOf } from '../test/support/writer-of.ts'
import type { BenchOptions, BenchResult } from './runner/result.ts'
import { onceNs } from './support/cpu-time.ts'
import { createNetworkStream } from './world/network-stream.ts'
import { openSeeder } from './world/seeding.ts'

const SIZES = {
  small: { accounts: 100_000, events: 150_000 },
  full: { accounts: 2_000_000, events: 600_000 },
}
const SPAN_US = 60 * 86_400 * 1e6
const SLICE = 50
const FOLLOWS = 1_000
const SYLLABLES =
  'an ma jo el ri ka lu sa no be ta mi ha de ro li na ki ra to ch st er ie oo ck ya ze vi we fo gu pe qu us xa'.split(
    ' ',
  )

/**
 * Times are processor time of the skeleton alone; pages of accounts or posts are measured with
 * profiles and timelines. `share_of_applying` is the extra cost of words relative to applying all
 * events.
 */
export function bench({ full, wants }: BenchOptions): BenchResult[] {
  const size = full ? SIZES.full : SIZES.small
  return [
    ...(wants('search.actors') || wants('search.typeahead')
      ? inFolder((dataDir) => benchActors(dataDir, size.accounts))
      : []),
    ...(wants('search.posts') ? inFolder((dataDir) => benchPosts(dataDir, size.events)) : []),
  ]
}

function inFolder(run: (dataDir: string) => BenchResult[]): BenchResult[] {
  const dataDir = mkdtempSync(join(tmpdir(), 'slipstream-search-'))
  try {
    return run(dataDir)
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

function benchActors(dataDir: string, accounts: number): BenchResult[] {
  const random = createRandom(7)
  const db = openWriter(dataDir)
  db.pragma('synchronous = OFF')
  const indexNs = onceNs(accounts, () => fillActors(db, random, accounts))
  const bytes = bytesOf(db, ['actor_words', 'actor_parts', 'search_actors'])
  const reader = openReader(dataDir)
  const follows = Uint32Array.from({ length: FOLLOWS }, () => 2 + random.below(accounts - 2))
  const search = createActorSearch(reader)
  const typed = Array.from({ length: 300 }, () => someWord(random))
  const letters = typed.flatMap((word) => Array.from(word, (_, i) => word.slice(0, i + 1)))
  const type = (q: string) =>
    search({ q, viewer: 1, follows, exact: 0, limit: 20, cursor: undefined })
  for (const q of letters) type(q)
  const times = letters.map((q) => onceNs(1, () => type(q))).sort((a, b) => a - b)
  const cpuNs = times.reduce((sum, ns) => sum + ns, 0) / times.length
  reader.close()
  db.close()
  return [
    { name: 'search.actors.accounts', value: accounts, unit: '' },
    { name: 'search.actors.index_us', value: indexNs / 1e3, unit: 'µs' },
    { name: 'search.actors.bytes_per_account', value: bytes / accounts, unit: 'B' },
    { name: 'search.typeahead.cpu_ms', value: cpuNs / 1e6, unit: 'ms' },
    {
      name: 'search.typeahead.p99_ms',
      value: times[Math.floor(times.length * 0.99)]! / 1e6,
      unit: 'ms',
    },
    { name: 'search.typeahead.max_ms', value: times.at(-1)! / 1e6, unit: 'ms' },
  ]
}

function fillActors(db: WriteDb, random: Random, accounts: number): void {
  for (let first = 1; first <= accounts; ) {
    const changes = Array.from({ length: SLICE }, () => {
      const uid = first++
      const names = actorNames(`${someWord(random)}${uid % 1000}.bsky.social`, someName(random))
      const followers = Math.floor(1 / (random.next() + 1e-7))
      return { before: undefined, after: toIndexedActor(uid, names, followers) }
    })
    db.transaction(() => changeIndexedActors(db, changes))()
  }
}

function someWord(random: Random): string {
  return Array.from(
    { length: 2 + random.below(4) },
    () => SYLLABLES[random.zipf(SYLLABLES.length)],
  ).join('')
}

function someName(random: Random): string {
  return `${someWord(random)} ${someWord(random)}`
}

function benchPosts(dataDir: string, events: number): BenchResult[] {
  const stream = createNetworkStream(events / 15, SPAN_US / events)
  const seeder = openSeeder(dataDir, 'network')
  const applyNs = onceNs(1, () => seeder.apply(stream.events(events)))
  seeder.finish()
  const db = openWriter(dataDir)
  db.pragma('synchronous = OFF')
  const indexNs = onceNs(1, () =>
    tendSearch({ writer: writerOf(db), posts: { maxPosts: 1e9 } }, () => false),
  )
  const posts = indexedPosts(db)
  const bytes = bytesOf(db, ['post_words'])
  const reader = openReader(dataDir)
  const search = createPostSearch(reader)
  const requested = ['the', 'and the', '"of the"', 'lang:en', 'the -and'].map(
    (q) => matchOf(parsePostQuery(q), { groups: [], none: [] })!,
  )
  const perQueryMs = (sort: 'latest' | 'top') => {
    const times = { since: -Infinity, until: Infinity }
    const rounds = 20
    const read = () => {
      for (const match of requested)
        search.page({ match, ...times, sort, limit: 25, cursor: undefined })
    }
    read()
    return (
      onceNs(rounds * requested.length, () => {
        for (let i = 0; i < rounds; i++) read()
      }) / 1e6
    )
  }
  const results = [
    { name: 'search.posts.index_us', value: indexNs / 1e3 / posts, unit: 'µs' },
    { name: 'search.posts.bytes_per_post', value: bytes / posts, unit: 'B' },
    { name: 'search.posts.share_of_applying', value: indexNs / applyNs, unit: 'of applying' },
    { name: 'search.posts.latest_cpu_ms', value: perQueryMs('latest'), unit: 'ms' },
    { name: 'search.posts.top_cpu_ms', value: perQueryMs('top'), unit: 'ms' },
  ]
  reader.close()
  db.close()
  return results
}

/** Bytes of these tables and of the tables in which FTS5 stores them. */
function bytesOf(db: Db, names: readonly string[]): number {
  const select = db.prepare<[], [name: string, bytes: number]>(
    'SELECT name, pgsize FROM dbstat WHERE aggregate = TRUE',
  )
  const sizes = select.raw().all() as unknown as [string, number][]
  return sizes
    .filter(([name]) => names.some((value) => name === value || name.startsWith(`${value}_`)))
    .reduce((sum, [, bytes]) => sum + bytes, 0)
}
