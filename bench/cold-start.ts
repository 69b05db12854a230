// A first sign-in. A member with 1,000 follows (with --full; else 300) requests their timeline. The times run
// until the first answer with posts, which is what their client shows, until a full page, until their follow
// list is read, until the last 36 hours of all their follows are, and until everything is. Meanwhile the main
// stream continues and another member reads; both are measured before and during. Servers answer after 20 ms.
// The Jetstream double holds those hours among strangers' events.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openReader } from '../src/data/store/db.ts'
import { until } from '../test/support/eventually.ts'
import { createSyntheticEvents } from '../test/support/jetstream-double/synthetic-events.ts'
import { signServiceJwt } from '../test/support/service-jwt.ts'
import { Histogram } from './load/histogram.ts'
import type { BenchOptions, BenchResult } from './runner/result.ts'
import {
  type ColdNetwork,
  createColdNetwork,
  followAll,
  type Person,
  put,
} from './world/cold-network.ts'
import { type RunningApp, receivedEvents, runApp } from './world/running-app.ts'

const LAG_MS = Number(process.env['COLD_START_LAG_MS'] ?? 20)
const RATE = 600
const READS_PER_S = 40
const BEFORE_MS = 6_000
const PAGE = 50
const PATIENT = { withinMs: 240_000, pollMs: 25 }
/** Figures that need a complete cold start. */
const COMPLETE = ['recent', 'all', 'during', 'live_pace', 'cpu', 'requests']
/** Authors that only the other member follows. */
const KNOWN = 30
/** Of the stream's events, every so many is by an account that the newcomer follows. */
const FOLLOWED_EVERY = RATE
const METHOD = 'app.bsky.feed.getTimeline'

/**
 * COLD_START_LAG_MS=100 makes servers answer as if from another continent. When only
 * `cold-start.first_page` or `.full_page` is requested, the run ends with the full page.
 */
export async function bench({ full, wants }: BenchOptions): Promise<BenchResult[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'slipstream-bench-'))
  const network = await createColdNetwork({
    authors: (full ? 1_000 : 300) + KNOWN,
    lagMs: LAG_MS,
    seed: 7,
  })
  const oldMs = Date.now() - 30 * 86_400_000
  const [reader, newcomer] = [await network.person('reader'), await network.person('newcomer')]
  const known = network.authors.slice(-KNOWN)
  followAll(reader, known, oldMs)
  followAll(newcomer, network.authors.slice(0, -KNOWN), oldMs)
  const app = await runApp({
    dataDir,
    env: {
      JETSTREAM_HOSTS: network.stream.url,
      PLC_URL: network.plc.url,
      ALLOW_PRIVATE_HOSTS: 'on',
      LABELERS: ',',
      TRUSTED_VERIFIERS: ',',
    },
  })
  const db = openReader(dataDir)
  const live = startLive(network)
  try {
    await read(app, reader)
    await until(() => isDone(db, reader.did), PATIENT)
    const before = await feel(app, reader, sleep(BEFORE_MS))
    const cpuBefore = app.cpu().total
    const followed = network.authors.length - KNOWN
    const isComplete = COMPLETE.some((figure) => wants(`cold-start.${figure}`))
    const cold = coldStart(app, { db, newcomer, followed, isComplete })
    const during = await feel(app, reader, cold)
    const cpuS = app.cpu().total - cpuBefore
    return figures(await cold, { before, during, cpuS, requests: network.requests() })
  } finally {
    live.stop()
    db.close()
    await app.stop()
    await network.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

type Db = ReturnType<typeof openReader>
type Times = {
  firstPageS: number
  firstPageItems: number
  fullPageS: number
  followsS: number
  recentS: number
  allS: number
}
type Felt = {
  eventsPerS: number
  visibleP99: number
  readP50: number
  readP99: number
}

function figures(
  times: Times,
  sideRoutes: { before: Felt; during: Felt; cpuS: number; requests: number },
): BenchResult[] {
  const { before, during, cpuS, requests } = sideRoutes
  const felt = ([name, of]: [string, Felt]) => [
    { name: `cold-start.${name}.live_events_per_s`, value: of.eventsPerS, unit: 'events/s' },
    { name: `cold-start.${name}.live_visible_p99_ms`, value: of.visibleP99, unit: 'ms' },
    { name: `cold-start.${name}.read_p50_ms`, value: of.readP50, unit: 'ms' },
    { name: `cold-start.${name}.read_p99_ms`, value: of.readP99, unit: 'ms' },
  ]
  return [
    { name: 'cold-start.first_page.s', value: times.firstPageS, unit: 's' },
    { name: 'cold-start.first_page.items', value: times.firstPageItems, unit: 'items' },
    { name: 'cold-start.full_page.s', value: times.fullPageS, unit: 's' },
    { name: 'cold-start.follows.s', value: times.followsS, unit: 's' },
    { name: 'cold-start.recent.s', value: times.recentS, unit: 's' },
    { name: 'cold-start.all.s', value: times.allS, unit: 's' },
    { name: 'cold-start.live_pace.ratio', value: during.eventsPerS / before.eventsPerS, unit: '' },
    ...felt(['before', before]),
    ...felt(['during', during]),
    { name: 'cold-start.cpu.s', value: cpuS, unit: 's' },
    { name: 'cold-start.requests', value: requests, unit: 'requests' },
  ]
}

async function coldStart(
  app: RunningApp,
  who: { db: Db; newcomer: Person; followed: number; isComplete: boolean },
): Promise<Times> {
  const { db, newcomer, followed, isComplete } = who
  const began = performance.now()
  const elapsed = () => (performance.now() - began) / 1000
  const times = { firstPageItems: 0, firstPageS: 0, fullPageS: 0, followsS: 0, recentS: 0, allS: 0 }
  const follows = db
    .prepare<[string], number>('SELECT follows_count FROM actors WHERE did = ?')
    .pluck()
  const noteFull = async () => {
    times.firstPageItems = await firstPage(app, newcomer)
    times.firstPageS = elapsed()
    if (times.firstPageItems < PAGE)
      await until(async () => (await read(app, newcomer)) >= PAGE, PATIENT)
    times.fullPageS = elapsed()
  }
  const noteComplete = async () => {
    await until(() => (follows.get(newcomer.did) ?? 0) > 0 && isReplayed(db), PATIENT)
    times.recentS = elapsed()
    await until(() => isDone(db, newcomer.did), PATIENT)
    times.allS = elapsed()
  }
  await Promise.all([
    noteFull(),
    until(() => follows.get(newcomer.did) === followed, PATIENT).then(
      () => (times.followsS = elapsed()),
    ),
    isComplete && noteComplete(),
  ])
  return times
}

/**
 * Requests the page as a client does: once, and again while it is empty.
 * @returns the number of items shown
 */
async function firstPage(app: RunningApp, newcomer: Person): Promise<number> {
  let items = 0
  const isThere = async () => {
    items = await read(app, newcomer)
    return items > 0
  }
  await until(isThere, PATIENT)
  return items
}

/**
 * No account is waiting for its last hours, from either source, and no follow list is being read.
 */
function isReplayed(db: Db): boolean {
  const left = db.prepare(
    `SELECT 1 FROM replay_accounts UNION SELECT 1 FROM jobs WHERE kind IN ('member', 'recent')`,
  )
  return left.get() === undefined
}

function isDone(db: Db, did: string): boolean {
  const done = db.prepare<[string]>(
    `SELECT 1 FROM backfills JOIN actors USING (uid) WHERE did = ? AND what = 'cold-start'
      AND NOT EXISTS (SELECT 1 FROM jobs WHERE attempts = 0)`,
  )
  return done.get(did) !== undefined
}

/** @returns the number of items on the first page */
async function read(app: RunningApp, { did, keypair }: Person): Promise<number> {
  const aud = `did:web:localhost%3A${app.port}`
  const token = await signServiceJwt(keypair, { iss: did, aud, lxm: METHOD })
  const url = `http://127.0.0.1:${app.port}/xrpc/${METHOD}?limit=${PAGE}`
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
  const { feed } = (await response.json()) as { feed?: unknown[] }
  return feed?.length ?? 0
}

/** Measures the stream's and a reader's delays until `over` settles. */
async function feel(app: RunningApp, reader: Person, over: Promise<unknown>): Promise<Felt> {
  let isOver = false
  const visible: number[] = []
  const reads = new Histogram()
  void over.finally(() => {
    isOver = true
  })
  const began = performance.now()
  const receivedBefore = await receivedEvents(app)
  const watching = setInterval(async () => {
    const health = await app.health()
    if (health.ingest) visible.push(health.ingest.visibleMs.p99)
  }, 1_000)
  while (!isOver) {
    const at = performance.now()
    await read(app, reader)
    reads.record((performance.now() - at) * 1000)
    await sleep(1000 / READS_PER_S)
  }
  clearInterval(watching)
  // The report is at most one second old, and so is the count.
  const eventsPerS =
    ((await receivedEvents(app)) - receivedBefore) / ((performance.now() - began) / 1000)
  const { p50, p99 } = reads.quantiles()
  const visibleP99 = visible.toSorted((a, b) => a - b)[Math.floor(visible.length * 0.9)] ?? 0
  return { eventsPerS, visibleP99, readP50: p50, readP99: p99 }
}

/**
 * Half of the events are by strangers, nearly half by the authors that only the other member
 * follows, and one a second by the newcomer's: they must not renew the first page again and again.
 */
function startLive({ stream, authors }: ColdNetwork): { stop(): void } {
  const strangers = createSyntheticEvents(11, Date.now() * 1000)
  const began = performance.now()
  let emitted = 0
  const timer = setInterval(() => {
    const due = ((performance.now() - began) / 1000) * RATE
    for (; emitted < due; emitted++) {
      const timeUs = Date.now() * 1000
      if (emitted % 2) stream.emit({ ...strangers.next(), timeUs })
      else {
        const author = authorOf(authors, emitted)
        const post = put(author, 'app.bsky.feed.post', { text: `live ${emitted}` }, Date.now())
        stream.emit({ ...post, timeUs } as Parameters<typeof stream.emit>[0])
      }
    }
  }, 5)
  return { stop: () => clearInterval(timer) }
}

/** `event`: an even number, since every other event is a stranger's. */
function authorOf(authors: readonly Person[], event: number): Person {
  const followed = authors.length - KNOWN
  const isFollowed = event % FOLLOWED_EVERY === 0
  return authors[isFollowed ? (event / FOLLOWED_EVERY) % followed : followed + (event % KNOWN)]!
}
