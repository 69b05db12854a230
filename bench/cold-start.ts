// A first sign-in. A member of 1,000 follows (with --full; else 300) asks for their timeline, and the time
// is taken until a whole page is there, until their follow list is, until the last 36 hours of everybody
// they follow are, and until nothing is left to be fetched. Servers answer after 20 ms; the Jetstream
// double holds the hours among those of strangers. Beside it the main stream goes on, and another member
// reads: what both feel is taken before and during.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openReader } from '../src/data/store/db.ts'
import { createSyntheticEvents } from '../test/support/jetstream-double/synthetic-events.ts'
import { signServiceJwt } from '../test/support/service-jwt.ts'
import { Histogram } from './load/histogram.ts'
import type { BenchOptions, BenchResult } from './result.ts'
import {
  type ColdNetwork,
  createColdNetwork,
  followAll,
  type Person,
  put,
} from './world/cold-network.ts'
import { type RunningApp, runApp } from './world/running-app.ts'

const LAG_MS = 20
const RATE = 600
const READS_PER_S = 40
const BEFORE_MS = 6_000
const PAGE = 50
const LONGEST_MS = 240_000
/** Authors whom the other member follows, and nobody else. */
const KNOWN = 30
const METHOD = 'app.bsky.feed.getTimeline'

export async function bench({ full }: BenchOptions): Promise<BenchResult[]> {
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
    await until(() => isDone(db, reader.did))
    const before = await feel(app, reader, sleep(BEFORE_MS))
    const cpuBefore = app.cpu().total
    const followed = network.authors.length - KNOWN
    const cold = coldStart(app, { db, newcomer, followed })
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
type Times = { firstPageS: number; followsS: number; recentS: number; allS: number }
type Felt = {
  eventsPerS: number
  visibleP99: number
  readP50: number
  readP99: number
}

function figures(
  { firstPageS, followsS, recentS, allS }: Times,
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
    { name: 'cold-start.first_page.s', value: firstPageS, unit: 's' },
    { name: 'cold-start.follows.s', value: followsS, unit: 's' },
    { name: 'cold-start.recent.s', value: recentS, unit: 's' },
    { name: 'cold-start.all.s', value: allS, unit: 's' },
    { name: 'cold-start.live_pace.ratio', value: during.eventsPerS / before.eventsPerS, unit: '' },
    ...felt(['before', before]),
    ...felt(['during', during]),
    { name: 'cold-start.cpu.s', value: cpuS, unit: 's' },
    { name: 'cold-start.requests', value: requests, unit: 'requests' },
  ]
}

async function coldStart(
  app: RunningApp,
  { db, newcomer, followed }: { db: Db; newcomer: Person; followed: number },
): Promise<Times> {
  const began = performance.now()
  const elapsed = () => (performance.now() - began) / 1000
  const times = { firstPageS: 0, followsS: 0, recentS: 0, allS: 0 }
  const follows = db
    .prepare<[string], number>('SELECT follows_count FROM actors WHERE did = ?')
    .pluck()
  await Promise.all([
    until(async () => (await read(app, newcomer)) >= PAGE).then(
      () => (times.firstPageS = elapsed()),
    ),
    until(() => follows.get(newcomer.did) === followed).then(() => (times.followsS = elapsed())),
    until(() => (follows.get(newcomer.did) ?? 0) > 0 && isReplayed(db)).then(
      () => (times.recentS = elapsed()),
    ),
    until(() => isDone(db, newcomer.did)).then(() => (times.allS = elapsed())),
  ])
  return times
}

/** No account waits for its last hours, whichever way they come, and nobody's follow list is being read. */
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

/** @returns how many items the first page has. */
async function read(app: RunningApp, { did, keypair }: Person): Promise<number> {
  const aud = `did:web:localhost%3A${app.port}`
  const token = await signServiceJwt(keypair, { iss: did, aud, lxm: METHOD })
  const url = `http://127.0.0.1:${app.port}/xrpc/${METHOD}?limit=${PAGE}`
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
  const { feed } = (await response.json()) as { feed?: unknown[] }
  return feed?.length ?? 0
}

/** What the stream and a reader feel until `over`. */
async function feel(app: RunningApp, reader: Person, over: Promise<unknown>): Promise<Felt> {
  let isOver = false
  const visible: number[] = []
  const reads = new Histogram()
  const received = async () => (await app.health()).ingest?.stream.received ?? 0
  void over.finally(() => {
    isOver = true
  })
  const began = performance.now()
  const receivedBefore = await received()
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
  // The report is a second old at most: so is the count.
  const eventsPerS = ((await received()) - receivedBefore) / ((performance.now() - began) / 1000)
  const { p50, p99 } = reads.quantiles()
  const visibleP99 = visible.toSorted((a, b) => a - b)[Math.floor(visible.length * 0.9)] ?? 0
  return { eventsPerS, visibleP99, readP50: p50, readP99: p99 }
}

/** Half of it strangers', half the authors' own. */
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
        const author = authors[emitted % authors.length]!
        const post = put(author, 'app.bsky.feed.post', { text: `live ${emitted}` }, Date.now())
        stream.emit({ ...post, timeUs } as Parameters<typeof stream.emit>[0])
      }
    }
  }, 5)
  return { stop: () => clearInterval(timer) }
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + LONGEST_MS
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error('the cold start takes too long')
    await sleep(25)
  }
}
