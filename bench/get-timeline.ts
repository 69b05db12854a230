// What a page of getTimeline costs, all of it: HTTP, a real service JWT, parameters, skeleton,
// hydration, views, JSON. Viewers with 20 quiet follows and with 100, 1,000 and 5,000, over a
// synthetic database of authors who reply, quote, repost and show pictures; real graph and rings.
//
// The client is a worker thread, so that CPU is that of the serving thread alone. `p50` and `p99` are
// of one request at a time; `rps` is of eight.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { loadConfig } from '../src/config.ts'
import { createActorTable } from '../src/graph/actor-table.ts'
import { createFollowGraph } from '../src/graph/follow-graph.ts'
import { createHydrator } from '../src/hydrate/hydrator.ts'
import { createGuardedFetch } from '../src/identity/guarded-fetch.ts'
import { createResolver } from '../src/identity/resolver.ts'
import { createServiceAuth } from '../src/identity/service-jwt.ts'
import { openTimeline } from '../src/indexing/open-timeline.ts'
import { type Db, openReader, openWriter } from '../src/store/db.ts'
import { packCid, packRkey } from '../src/store/keys.ts'
import { createKeeps } from '../src/timeline/lossiness.ts'
import { createTimelines } from '../src/timeline/rings.ts'
import { createMediaUrls } from '../src/views/media-urls.ts'
import { createMethods } from '../src/xrpc/methods.ts'
import { createServer } from '../src/xrpc/server.ts'
import { type PlcDouble, startPlcDouble } from '../test/support/plc-double.ts'
import { createRandom } from '../test/support/random.ts'
import { blobOf, cidOf, didOf, tidAt } from '../test/support/records.ts'
import { signServiceJwt } from '../test/support/service-jwt.ts'
import type { BenchResult } from './result.ts'

const NSID = 'app.bsky.feed.getTimeline'
const START_MS = Date.parse('2026-11-01T12:00:00.000Z')
const HOUR_MS = 3_600_000
const SERVICE_DID = 'did:web:bench.test'

type Load = { origin: string; token: string; count: number; concurrency: number }

export async function bench({ full }: { full: boolean }): Promise<BenchResult[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'slipstream-bench-'))
  const plc = await startPlcDouble()
  const db = openWriter(dataDir)
  const memory = createMemory()
  const viewers = [
    { name: 'quiet_20', follows: 20, from: 0 },
    { name: 'follows_100', follows: 100, from: 1000 },
    { name: 'follows_1000', follows: 1000, from: 1000 },
    { name: 'follows_5000', follows: 5000, from: 1000 },
  ]
  seed(db, memory, { busy: 6_000, postsEach: full ? 60 : 20 })
  const server = createServing({ dataDir, plc, memory })
  const { port } = await server.listen()
  const origin = `http://127.0.0.1:${port}`

  const results: BenchResult[] = []
  for (const { name, follows, from } of viewers) {
    const { did, keypair } = await plc.create({ handle: `${name.replace('_', '')}.test` })
    addViewer(db, memory, did, { follows, from })
    const claims = { iss: did, aud: SERVICE_DID, lxm: NSID, exp: Date.now() / 1000 + 3600 }
    const token = await signServiceJwt(keypair, { ...claims, exp: Math.floor(claims.exp) })
    const common = { origin, token }
    const count = full ? 2000 : 300
    await runClient({ ...common, count: 200, concurrency: 1 })
    const single = await runClient({ ...common, count, concurrency: 1 })
    const many = await runClient({ ...common, count: count * 2, concurrency: 8 })
    const figures = { cpu_ms: many.cpuMs, p50_ms: single.p50, p99_ms: single.p99, rps: many.rps }
    for (const [figure, value] of Object.entries(figures)) {
      const unit = figure === 'rps' ? 'requests/s' : 'ms'
      results.push({ name: `getTimeline.${name}.${figure}`, value, unit })
    }
    memory.timelines.close(memory.actors.uidOf(did))
    const rows = await runClient({ ...common, count: Math.ceil(count / 5), concurrency: 1 })
    results.push({ name: `getTimeline.${name}.no_ring_cpu_ms`, value: rows.cpuMs, unit: 'ms' })
  }
  await server.close()
  await plc.close()
  db.close()
  rmSync(dataDir, { recursive: true, force: true })
  return [...results, ...overall(results)]
}

/** Over all viewers: means, and the worst of the latencies. */
function overall(results: BenchResult[]): BenchResult[] {
  return ['cpu_ms', 'p50_ms', 'p99_ms', 'rps'].map((figure) => {
    const all = results.filter(({ name }) => name.endsWith(`.${figure}`) && !/no_ring/.test(name))
    const values = all.map(({ value }) => value)
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length
    const value = figure === 'p99_ms' ? Math.max(...values) : mean
    return { name: `getTimeline.${figure}`, value, unit: all[0]!.unit }
  })
}

type Memory = ReturnType<typeof createMemory>

function createMemory() {
  const actors = createActorTable()
  const graph = createFollowGraph()
  const timelines = createTimelines(1000)
  const keeps = createKeeps({ graph, limit: 2000 })
  const fanOut = () => 0
  return {
    actors,
    graph,
    timelines,
    keeps,
    fanOut,
    celebrityThreshold: 10_000,
    timelineLength: 1000,
  }
}

function createServing(options: { dataDir: string; plc: PlcDouble; memory: Memory }) {
  const { dataDir, plc, memory } = options
  const db = openReader(dataDir)
  const config = { ...loadConfig({}, '/nonexistent/.env'), port: 0, plcUrl: plc.url }
  const fetch = createGuardedFetch({ allowPrivateHosts: true })
  const resolver = createResolver({ fetch, plcUrl: plc.url })
  const urls = createMediaUrls(config)
  return createServer({
    config,
    methods: createMethods({
      ...memory,
      db,
      hydrator: createHydrator({ ...memory, db, urls }),
      writer: { send: async () => {} },
      resolver,
      fetch,
    }),
    serviceAuth: createServiceAuth({ resolver, audiences: [SERVICE_DID] }),
    health: () => ({ ok: true, version: 'bench' }),
    log: { debug() {}, error: console.error, fatal: console.error },
  })
}

/** A thousand quiet accounts with a post a week, then busy ones. */
function seed(db: Db, memory: Memory, size: { busy: number; postsEach: number }): void {
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

function prepareRows(db: Db) {
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
  const counts = db.prepare('INSERT INTO post_counts VALUES (?, 12, 3, 4, 1)')
  const repost = db.prepare(
    `INSERT OR IGNORE INTO reposts (uid, rkey, subject, cid, created_at, indexed_at, sort_at)
    VALUES (?, ?, ?, ?, ?, ?, ?)`,
  )
  const follow = db.prepare('INSERT INTO follows VALUES (?, ?, ?, ?)')
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
      follow.run(uid, packRkey(tidAt(START_MS * 1000 + subject)), subject, START_MS)
    },
  }
}

function addAccount(memory: Memory, rows: Rows, did: string): number {
  const uid = memory.actors.intern(did)
  rows.actor(uid, did)
  return uid
}

/** Follows accounts in a row, the first of them `from`; its timeline is built as the ingest thread does. */
function addViewer(
  db: Db,
  memory: Memory,
  did: string,
  { follows, from }: { follows: number; from: number },
): void {
  const rows = prepareRows(db)
  db.transaction(() => {
    const uid = addAccount(memory, rows, did)
    for (let subject = from + 1; subject <= from + follows; subject++) {
      rows.follow(uid, subject)
      memory.graph.add(uid, subject)
    }
  })()
  openTimeline(db, memory, memory.actors.uidOf(did), START_MS)
}

type Measured = { p50: number; p99: number; rps: number; cpuMs: number }

/** CPU is that of this thread, which serves, an answer. */
async function runClient(load: Load): Promise<Measured> {
  const worker = new Worker(new URL(import.meta.url), { workerData: load })
  await new Promise((resolve) => worker.once('message', resolve))
  const before = process.threadCpuUsage()
  worker.postMessage('start')
  const latencies = await new Promise<{ ms: number[]; seconds: number }>((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
  })
  const { user, system } = process.threadCpuUsage(before)
  await worker.terminate()
  const sorted = latencies.ms.sort((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor(sorted.length * share)]!
  return {
    p50: at(0.5),
    p99: at(0.99),
    rps: load.count / latencies.seconds,
    cpuMs: (user + system) / 1000 / load.count,
  }
}

async function client({ origin, token, count, concurrency }: Load): Promise<void> {
  parentPort!.postMessage('ready')
  await new Promise((resolve) => parentPort!.once('message', resolve))
  const ms: number[] = []
  let left = count
  const startedAt = performance.now()
  const one = async () => {
    while (left-- > 0) {
      const sentAt = performance.now()
      const response = await fetch(`${origin}/xrpc/${NSID}?limit=50`, {
        headers: { authorization: `Bearer ${token}`, 'accept-encoding': 'identity' },
      })
      const body = await response.text()
      if (!response.ok || !body.startsWith('{"feed":[{')) throw new Error(body.slice(0, 200))
      ms.push(performance.now() - sentAt)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, one))
  parentPort!.postMessage({ ms, seconds: (performance.now() - startedAt) / 1000 })
}

if (!isMainThread && workerData?.origin) await client(workerData as Load)
