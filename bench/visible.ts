// How long a post takes from the stream's socket to a reader at 1,000 events per second: from the moment the
// Jetstream double writes its frame to the socket (compressed, v2) until a reader in the serving process,
// polling every millisecond, finds it in a member's timeline and its row in the database. The ingest thread,
// its consumer and the file are the real ones. In `network` scope all of the thousand are applied; in
// `community` scope most are strangers' and are dropped.

import { fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createJetstreamDouble,
  type JetstreamDouble,
} from '../test/support/jetstream-double/double.ts'
import { createSyntheticEvents } from '../test/support/jetstream-double/synthetic-events.ts'
import { didOf, tidAt } from '../test/support/records.ts'
import { Histogram } from './load/histogram.ts'
import type { BenchOptions, BenchResult } from './runner/result.ts'
import { monotonicMs } from './world/clock.ts'
import type { ReaderMessage, ReaderOrder } from './world/polling-reader.ts'
import { quickCid } from './world/quick-cid.ts'
import { openSeeder } from './world/seeding.ts'

const RATE = 1_000
/** One event in this many is a post whose arrival is measured. */
const MARKED_EVERY = 20
const TICK_MS = 2
const MEMBER = didOf('bench member')
const AUTHOR = didOf('bench author')

export async function bench({ full, wants }: BenchOptions): Promise<BenchResult[]> {
  const seconds = full ? 30 : 3
  const network = await measure('network', seconds)
  const results = figures('visible', network)
  if (full && wants('visible.community')) {
    results.push(...figures('visible.community', await measure('community', seconds)))
  }
  return results
}

type Measured = { latency: Histogram; posts: number; perSecond: number }

function figures(name: string, { latency, posts, perSecond }: Measured): BenchResult[] {
  const { p50, p99, max } = latency.quantiles()
  return [
    { name: `${name}.p99_ms`, value: p99, unit: 'ms' },
    { name: `${name}.p50_ms`, value: p50, unit: 'ms' },
    { name: `${name}.max_ms`, value: max, unit: 'ms' },
    { name: `${name}.posts`, value: posts, unit: 'posts' },
    { name: `${name}.events_per_s`, value: perSecond, unit: 'events/s' },
  ]
}

async function measure(scope: 'network' | 'community', seconds: number): Promise<Measured> {
  const dataDir = mkdtempSync(join(tmpdir(), 'slipstream-bench-'))
  seed(dataDir, scope)
  const double = await createJetstreamDouble({ recordSent: false, retain: 100_000 })
  const sentAt = new Map<string, number>()
  double.behaviour.tamper = (frame, { event }) => {
    if (event.did === AUTHOR && 'rkey' in event) sentAt.set(event.rkey, monotonicMs())
    return frame
  }
  const reader = startReader({
    member: MEMBER,
    env: {
      SLIPSTREAM_DATA_DIR: dataDir,
      SLIPSTREAM_JETSTREAM_HOSTS: double.url,
      SLIPSTREAM_PLC_URL: 'http://127.0.0.1:1',
      SLIPSTREAM_FALLBACK_APPVIEW: 'none',
      SLIPSTREAM_INDEX_SCOPE: scope,
      SLIPSTREAM_LOG_LEVEL: 'error',
    },
  })
  await reader.ready
  const startedAt = performance.now()
  const emitted = await emitFor(double, seconds)
  const perSecond = emitted / ((performance.now() - startedAt) / 1000)
  const seen = new Map(await reader.stop(Math.ceil(emitted / MARKED_EVERY)))
  await double.close()
  rmSync(dataDir, { recursive: true, force: true })

  const latency = new Histogram()
  for (const [rkey, sent] of sentAt) {
    const at = seen.get(rkey)
    if (at === undefined) throw new Error(`post ${rkey} of ${sentAt.size} was never seen`)
    latency.record((at - sent) * 1000)
  }
  return { latency, posts: sentAt.size, perSecond }
}

function seed(dataDir: string, scope: 'network' | 'community'): void {
  const seeder = openSeeder(dataDir, scope)
  seeder.addMembers([MEMBER])
  const rkey = tidAt(Date.now() * 1000)
  const createdAt = new Date().toISOString()
  const $type = 'app.bsky.graph.follow'
  seeder.apply([
    {
      kind: 'commit',
      operation: 'create',
      did: MEMBER,
      timeUs: Date.now() * 1000,
      seq: undefined,
      rev: rkey,
      collection: $type,
      rkey,
      cid: quickCid(MEMBER, rkey),
      record: { $type, subject: AUTHOR, createdAt },
    },
  ])
  seeder.finish()
}

/**
 * Emits at a steady rate regardless of timer delays.
 * @returns the number of events
 */
function emitFor(double: JetstreamDouble, seconds: number): Promise<number> {
  const events = createSyntheticEvents(5, Date.now() * 1000)
  const startedAt = performance.now()
  let emitted = 0
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      const elapsed = (performance.now() - startedAt) / 1000
      for (; emitted < Math.min(elapsed, seconds) * RATE; emitted++) {
        if (emitted % MARKED_EVERY === 0) emitMarked(double, emitted)
        else double.emit({ ...events.next(), timeUs: Date.now() * 1000 })
      }
      if (elapsed < seconds) return
      clearInterval(timer)
      resolve(emitted)
    }, TICK_MS)
  })
}

function emitMarked(double: JetstreamDouble, n: number): void {
  const timeUs = Date.now() * 1000
  const rkey = tidAt(timeUs + (n % 1000))
  const collection = 'app.bsky.feed.post'
  const createdAt = new Date(timeUs / 1000).toISOString()
  const record = { $type: collection, text: `Post ${n}, to be seen soon`, createdAt }
  double.emit({ did: AUTHOR, operation: 'create', collection, rkey, timeUs, record })
}

function startReader(order: Extract<ReaderOrder, { env: unknown }>) {
  const child = fork(join(import.meta.dirname, 'world/polling-reader.ts'))
  const end = () => child.kill('SIGKILL')
  process.once('exit', end)
  const { promise: ready, resolve: setReady, reject } = Promise.withResolvers<void>()
  const {
    promise: seen,
    resolve: setSeen,
    reject: lose,
  } = Promise.withResolvers<[string, number][]>()
  child.on('message', (message: ReaderMessage) => {
    if (message.kind === 'ready') setReady()
    else setSeen(message.seen)
  })
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => {
      process.off('exit', end)
      const error = new Error('the reading process ended')
      reject(error)
      lose(error)
      resolve()
    })
  })
  seen.catch(() => undefined)
  child.send(order)
  return {
    ready,
    stop: async (stopAfter: number) => {
      child.send({ stopAfter } satisfies ReaderOrder)
      const result = await seen
      await exited
      return result
    },
  }
}
