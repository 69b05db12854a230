// What a page of getTimeline costs in its handler alone, without HTTP and JWT (serving.ts measures the
// whole): skeleton, fragments and the bytes of the answer. Viewers with 20 quiet follows and with 100, 1,000
// and 5,000 follows, over a synthetic database of authors who reply, quote, repost and post pictures.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createFollowGraph, createTimelines, type TimelineReader } from '@slipstream/follow-graph'
import type { ViewCache } from '../src/answers/cache/view-cache.ts'
import { createHydrator } from '../src/answers/hydrate/hydrator.ts'
import type { Hydrator } from '../src/answers/hydrate/hydrator-types.ts'
import { CachedBytes } from '../src/answers/views/json/cached-bytes.ts'
import { answerMemory, jsonBytes } from '../src/answers/views/json/ready-json.ts'
import { createMediaUrls } from '../src/answers/views/media-urls.ts'
import { collectionCodes } from '../src/base/atproto/collections.ts'
import { packCid, packRkey } from '../src/base/atproto/keys.ts'
import { type Labelers, NO_LABELERS } from '../src/base/atproto/labelers.ts'
import { loadConfig } from '../src/base/config/config.ts'
import { HOUR_MS } from '../src/base/util/durations.ts'
import { createActorTable } from '../src/data/graph/actor-table.ts'
import { createIsDrawn, drawByHash } from '../src/data/graph/lossiness.ts'
import { MEMBER } from '../src/data/graph/types.ts'
import { INVALIDATION } from '../src/data/shared-memory/invalidation-kinds.ts'
import { InvalidationWriter } from '../src/data/shared-memory/invalidation-ring.ts'
import { type Db, openReader, openWriter, type WriteDb } from '../src/data/store/db.ts'
import { followEdges, likeEdges } from '../src/data/store/edges/all-edges.ts'
import { prepareItemDraw } from '../src/data/store/read/timelines/item-draw.ts'
import { isRepostItem, rowIdOf } from '../src/data/store/timelines/item-ids.ts'
import { createMethods } from '../src/http/xrpc/methods.ts'
import { openTimeline } from '../src/ingest/indexing/memory/open-timeline.ts'
import { createGuardedFetch } from '../src/sources/identity/guarded-fetch.ts'
import { createRandom } from '../test/support/random.ts'
import { blobOf, cidOf, didOf, tidAt } from '../test/support/records.ts'
import type { BenchOptions, BenchResult } from './runner/result.ts'

const NSID = 'app.bsky.feed.getTimeline'
export const START_MS = Date.parse('2026-11-01T12:00:00.000Z')
const WARM_UP = 200
const NOTES_A_PAGE = 6
const LIKES = 12

/**
 * `warm`: the same page again. `noted`: the same while six posts of the network get new counts
 * between two pages, as at 600 events and a hundred pages per second. `no_ring`: the page from
 * rows, as below a ring's end. `unkept`: all caches are emptied before each page. `unread`: pages
 * of items, authors and viewers never read before. `labels_none` and `labels_one_in_30`: the warm
 * page with a labeler that has no labels, and with one that labelled one post in thirty.
 */
export async function bench({ full }: BenchOptions): Promise<BenchResult[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'slipstream-bench-'))
  const db = openWriter(dataDir)
  const memory = createMemory()
  seed(db, memory, { busy: 6_000, postsEach: full ? 60 : 20 })
  const viewers = [
    { name: 'quiet_20', follows: 20, from: 0 },
    { name: 'follows_100', follows: 100, from: 1000 },
    { name: 'follows_1000', follows: 1000, from: 1000 },
    { name: 'follows_5000', follows: 5000, from: 1000 },
  ]
  for (const { name, ...followed } of viewers) addViewer(db, memory, didOf(name), followed)
  const strangers = Array.from({ length: 20 }, (_, i) => didOf(`stranger ${i}`))
  for (const [i, did] of strangers.entries()) {
    addViewer(db, memory, did, { follows: 60, from: 3000 + i * 120 })
  }
  likeFirstPages(db, memory, [...viewers.map(({ name }) => didOf(name)), ...strangers])
  const reader = openReader(dataDir)
  const ask = createAsking(reader, memory)
  const count = full ? 2_000 : 300
  const askAnew = () => {
    memory.invalidations.add(INVALIDATION.everything, 0, 0)
    ask(didOf('follows_1000'))
  }
  for (let i = 0; i < WARM_UP; i++) askAnew()
  const unkept = measure('unkept', count / 3, askAnew)
  const results = [
    unkept,
    measureUnread(ask, strangers),
    ...measureLabelled({ db, memory, ask, count }),
    ...viewers.flatMap(({ name }) => measureViewer(memory, ask, { name, count })),
  ]
  reader.close()
  db.close()
  rmSync(dataDir, { recursive: true, force: true })
  return results
}

/** Requests a page. Its bytes are valid until the next one, as their memory is used again. */
export type Ask = (did: string, cursor?: string, labelers?: Labelers) => Buffer

/**
 * @param timelines - default: the rings
 * @param other - another hydrator, and no whole pages that are asked for again
 */
export function createAsking(
  db: Db,
  memory: Memory,
  timelines?: TimelineReader,
  other: { hydrator?: Hydrator; cachesPages?: boolean } = {},
): Ask {
  const urls = createMediaUrls(loadConfig({}, '/nonexistent/.env'))
  const { hydrator = createHydrator({ ...memory, db, urls }), cachesPages = true } = other
  const methods = createMethods({
    ...memory,
    ...(timelines && { timelines }),
    isDrawn: createIsDrawn({
      graph: memory.graph,
      limit: 2000,
      draw: prepareItemDraw(db, memory.actors),
    }),
    invalidations: memory.invalidations.buffer,
    db,
    hydrator,
    onCached(cache) {
      if (!cachesPages) (cache as ViewCache).pages.isWorthCaching = () => false
    },
    writer: { send: async () => {} },
    resolver: { resolve: async () => undefined, resolveHandle: async () => undefined },
    fetch: createGuardedFetch({ allowPrivateHosts: true }),
  })
  const { handler } = methods.find(({ nsid }) => nsid === NSID)!
  const rest = {
    input: undefined,
    token: undefined,
    header: () => undefined,
    headersWith: () => ({}),
    noteBehind: () => undefined,
  }
  return (viewer, cursor, labelers = NO_LABELERS) => {
    const signal = new AbortController().signal
    const answer = handler({ ...rest, labelers, signal, viewer, params: { limit: 50, cursor } })
    if (answer instanceof Promise) throw new Error('the handler did not answer synchronously')
    // The server sends it as it is.
    if (answer.body instanceof CachedBytes) return answer.body.plain
    const bytes = jsonBytes(answer.body)
    answerMemory.giveBack(bytes)
    return bytes
  }
}

function measureViewer(
  memory: Memory,
  ask: Ask,
  { name, count }: { name: string; count: number },
): BenchResult[] {
  const did = didOf(name)
  const random = createRandom(3)
  for (let i = 0; i < WARM_UP; i++) ask(did)
  const warm = measure(`${name}.warm`, count, () => ask(did))
  const noted = measure(`${name}.noted`, count, () => {
    for (let i = 0; i < NOTES_A_PAGE; i++)
      memory.invalidations.add(INVALIDATION.counts, random.below(100_000), 0)
    ask(did)
  })
  memory.timelines.close(memory.actors.uidOf(did))
  const rows = measure(`${name}.no_ring`, count / 5, () => ask(did))
  return [warm, noted, rows]
}

function measureLabelled(parts: {
  db: WriteDb
  memory: Memory
  ask: Ask
  count: number
}): BenchResult[] {
  const { db, memory, ask, count } = parts
  const [silent, labeler] = [didOf('silent labeler'), didOf('labeler')]
  addAccount(memory, prepareRows(db), silent)
  labelPosts(db, addAccount(memory, prepareRows(db), labeler))
  memory.invalidations.add(INVALIDATION.everything, 0, 0)
  const measureBy = (name: string, did: string) => {
    const page = () => ask(didOf('follows_1000'), undefined, { dids: [did], redact: new Set() })
    for (let i = 0; i < WARM_UP; i++) page()
    return measure(name, count, page)
  }
  return [measureBy('labels_none', silent), measureBy('labels_one_in_30', labeler)]
}

function labelPosts(db: WriteDb, src: number): void {
  db.prepare(
    `INSERT INTO labels (uid, collection, rkey, src, val, neg, cts_ms)
    SELECT uid, ?, rkey, ?, 'graphic-media', 0, ? FROM posts WHERE id % 30 = 0`,
  ).run(collectionCodes['app.bsky.feed.post'], src, START_MS)
}

/** Ten pages per viewer. */
function measureUnread(ask: Ask, dids: string[]): BenchResult {
  let pages = 0
  const ms = cpuMs(() => {
    for (const did of dids) {
      let cursor: string | undefined
      for (let page = 0; page < 10; page++) {
        cursor = cursorOf(ask(did, cursor))
        pages++
        if (cursor === undefined) break
      }
    }
  })
  return { name: 'timelineHandler.unread.ms', value: ms / pages, unit: 'ms' }
}

/** Extracts the cursor without parsing the whole answer, which would double the cost. */
function cursorOf(answer: Buffer): string | undefined {
  const end = answer.toString('latin1', Math.max(0, answer.length - 300))
  return /"cursor":"([^"]+)"/.exec(end)?.[1]
}

/** Processor time of this process, including garbage collection. */
function cpuMs(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

function measure(name: string, count: number, work: () => void): BenchResult {
  const times = Math.ceil(count)
  const ms = cpuMs(() => {
    for (let i = 0; i < times; i++) work()
  })
  return { name: `timelineHandler.${name}.ms`, value: ms / times, unit: 'ms' }
}

export type Memory = ReturnType<typeof createMemory>

export function createMemory() {
  const actors = createActorTable()
  const graph = createFollowGraph()
  const timelines = createTimelines(1000)
  const isHashDrawn = createIsDrawn({ graph, limit: 2000, draw: drawByHash(actors) })
  const fanOut = () => 0
  return {
    actors,
    graph,
    timelines,
    isHashDrawn,
    fanOut,
    invalidations: new InvalidationWriter(),
    celebrityThreshold: 10_000,
    timelineLength: 1000,
  }
}

/** A thousand quiet accounts with one post a week, followed by busy ones. */
export function seed(db: WriteDb, memory: Memory, size: { busy: number; postsEach: number }): void {
  const random = createRandom(11)
  const rows = prepareRows(db)
  const posts: { id: number; uri: string; cid: string; uid: number }[] = []
  db.transaction(() => {
    for (let i = 0; i < 1000 + size.busy; i++) addAccount(memory, rows, didOf(`author ${i}`))
    for (let round = 0; round < size.postsEach; round++) {
      for (let uid = 1; uid <= 1000 + size.busy; uid++) {
        const isQuiet = uid <= 1000
        if (isQuiet && round >= 4) continue
        const span = isQuiet ? 28 * 24 * HOUR_MS : size.postsEach * HOUR_MS
        const sortAt = START_MS - random.below(span)
        if (!isQuiet && posts.length > 1000 && random.chance(0.25)) {
          rows.repost(uid, random.pick(posts).id, sortAt)
        } else posts.push(addPost(memory, rows, { uid, sortAt, posts, random }))
      }
    }
  })()
}

type Rows = ReturnType<typeof prepareRows>
type SeededPost = { id: number; uri: string; cid: string; uid: number }

function addPost(
  memory: Memory,
  rows: Rows,
  options: {
    uid: number
    sortAt: number
    posts: SeededPost[]
    random: ReturnType<typeof createRandom>
  },
): SeededPost {
  const { uid, sortAt, posts, random } = options
  const other = posts.length > 0 && random.chance(0.6) ? random.pick(posts) : undefined
  const isReply = other !== undefined && random.chance(0.7)
  const ref = other && { uri: other.uri, cid: other.cid }
  const image = { image: blobOf(`picture ${posts.length}`), alt: 'what there is to be seen' }
  const pictures = { $type: 'app.bsky.embed.images', images: [image] }
  const quote = { $type: 'app.bsky.embed.record', record: ref }
  const embed = other && !isReply ? quote : random.chance(0.25) ? pictures : undefined
  const record = {
    $type: 'app.bsky.feed.post',
    text: 'A post of ordinary length, with a few words in it and no great news at all. ☕ '.repeat(
      2,
    ),
    langs: ['en'],
    createdAt: new Date(sortAt).toISOString(),
    ...(isReply && { reply: { root: ref, parent: ref } }),
    ...(embed && { embed }),
  }
  const id = posts.length + 1
  const rkey = tidAt(sortAt * 1000, id % 1024)
  const cid = cidOf(id)
  const thread = isReply ? other.id : null
  rows.post({
    id,
    uid,
    rkey,
    cid,
    record,
    sortAt,
    thread,
    quote: embed === quote ? other!.id : null,
  })
  return { id, uid, uri: `at://${memory.actors.didOf(uid)}/app.bsky.feed.post/${rkey}`, cid }
}

function prepareRows(db: WriteDb) {
  const actor = db.prepare(
    'INSERT INTO actors (uid, did, handle, handle_valid, indexed_at) VALUES (?, ?, ?, 1, 1)',
  )
  const profile = db.prepare(
    'INSERT INTO profiles (uid, cid, record, created_at, indexed_at) VALUES (?, ?, ?, ?, ?)',
  )
  const post = db.prepare(
    `INSERT INTO posts (id, uid, rkey, state, cid, rev, record, created_at, indexed_at, sort_at, root, parent, quote)
    VALUES (?, ?, ?, 1, ?, 'r', ?, ?, ?, ?, ?, ?, ?)`,
  )
  const counts = db.prepare(
    'INSERT INTO post_counts (post, likes, reposts, replies, quotes) VALUES (?, 12, 3, 4, 1)',
  )
  const repost = db.prepare(
    `INSERT OR IGNORE INTO reposts (uid, rkey, subject, cid, created_at, indexed_at, sort_at)
    VALUES (?, ?, ?, ?, ?, ?, ?)`,
  )
  return {
    actor(uid: number, did: string): void {
      const record = {
        $type: 'app.bsky.actor.profile',
        displayName: `Account ${uid}`,
        description: 'Says what there is to say.',
        avatar: blobOf(`avatar ${uid}`),
        createdAt: new Date(START_MS).toISOString(),
      }
      actor.run(uid, did, `account${uid}.test`)
      const json = Buffer.from(JSON.stringify(record))
      profile.run(uid, packCid(cidOf(`profile ${uid}`)), json, START_MS, START_MS)
    },
    post(row: {
      id: number
      uid: number
      rkey: string
      cid: string
      record: unknown
      sortAt: number
      thread: number | null
      quote: number | null
    }): void {
      const { id, uid, sortAt, thread } = row
      const json = Buffer.from(JSON.stringify(row.record))
      const [rkey, cid] = [packRkey(row.rkey), packCid(row.cid)]
      post.run(id, uid, rkey, cid, json, sortAt, sortAt, sortAt, thread, thread, row.quote)
      counts.run(id)
    },
    repost(uid: number, subject: number, sortAt: number): void {
      const rkey = packRkey(tidAt(sortAt * 1000, uid % 1024))
      repost.run(uid, rkey, subject, packCid(cidOf([uid, sortAt])), sortAt, sortAt, sortAt)
    },
    follow(uid: number, subject: number): void {
      const rkey = packRkey(tidAt(START_MS * 1000 + subject))
      followEdges.insert(db, { uid, rkey, subject, sortAt: START_MS, createdAt: START_MS })
    },
  }
}

function addAccount(memory: Memory, rows: Rows, did: string): number {
  const uid = memory.actors.intern(did)
  rows.actor(uid, did)
  return uid
}

/**
 * Adds a viewer who follows consecutive accounts starting at `from`; builds the timeline as the
 * ingest thread does.
 */
export function addViewer(
  db: WriteDb,
  memory: Memory,
  did: string,
  { follows, from }: { follows: number; from: number },
): void {
  const rows = prepareRows(db)
  db.transaction(() => {
    const uid = addAccount(memory, rows, did)
    memory.actors.setFlags(uid, MEMBER)
    for (let subject = from + 1; subject <= from + follows; subject++) {
      rows.follow(uid, subject)
      memory.graph.add(uid, subject)
      memory.actors.addMemberFollowers(subject, 1)
    }
  })()
  openTimeline(db, memory, memory.actors.uidOf(did), START_MS)
  memory.invalidations.add(INVALIDATION.everything, 0, 0)
}

/** Gives the posts of these viewers' first pages, and the roots above them, a dozen likes by any accounts. */
export function likeFirstPages(db: WriteDb, { actors, timelines }: Memory, dids: string[]): void {
  const random = createRandom(17)
  const items = dids.flatMap(
    (did) => timelines.read(actors.uidOf(did), undefined, 60)?.entries ?? [],
  )
  const subjectOf = db.prepare<[number], number>('SELECT subject FROM reposts WHERE id = ?').pluck()
  const rootOf = db.prepare<[number], number>('SELECT coalesce(root, id) FROM posts WHERE id = ?')
  const posts = new Set<number>()
  for (const { item } of items) {
    const post = isRepostItem(item) ? subjectOf.get(rowIdOf(item))! : rowIdOf(item)
    posts.add(post).add(rootOf.pluck().get(post)!)
  }
  db.transaction(() => {
    for (const subject of posts) {
      for (let i = 0; i < LIKES; i++) {
        const sortAt = START_MS + i * 1_000
        const rkey = packRkey(tidAt(sortAt * 1_000, subject % 1024))
        const uid = 1 + random.below(7_000)
        if (likeEdges.has(db, uid, subject)) continue
        likeEdges.insert(db, { uid, rkey, subject, sortAt, createdAt: sortAt })
      }
    }
  })()
}
