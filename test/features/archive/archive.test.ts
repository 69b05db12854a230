// A stream that begins with the archive, against a double that seals emitted events and serves the rest live:
// whatever happens on the way, the result equals applying every event in order.

import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createConsumer, type StreamEvent } from '@slipstream/jetstream'
import { pino } from 'pino'
import { afterEach, describe, expect, it } from 'vitest'
import { collections } from '../../../src/base/atproto/collections.ts'
import { unpackCid } from '../../../src/base/atproto/keys.ts'
import { HOUR_MS } from '../../../src/base/util/durations.ts'
import { listGaps } from '../../../src/data/store/stream/gaps.ts'
import {
  replaceStreamCursors,
  streamCursors,
} from '../../../src/data/store/stream/stream-cursors.ts'
import { createStreamAfterArchive } from '../../../src/features/archive/archive-first.ts'
import { findArchive, putArchive } from '../../../src/features/archive/store/archives.ts'
import { unfitArchive } from '../../../src/features/archive/unfit-archive.ts'
import { canonicalRows } from '../../support/canonical-rows.ts'
import { until } from '../../support/eventually.ts'
import { fixtureDictionaryPath } from '../../support/jetstream-double/dictionaries.ts'
import {
  createJetstreamDouble,
  type JetstreamDouble,
} from '../../support/jetstream-double/double.ts'
import type { Emission } from '../../support/jetstream-double/emission.ts'
import { createRandom, type Random } from '../../support/random.ts'
import { randomHistory } from '../../support/random-history.ts'
import { testSeed } from '../../support/seed.ts'
import { createWorld, type World } from '../../support/world.ts'
import { type ArchiveDouble, createArchiveDouble, dagCbor } from './archive-double.ts'

const closers: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

type Scene = {
  world: World
  double: JetstreamDouble
  archive: ArchiveDouble
  random: Random
  events: StreamEvent[]
  stream: ReturnType<typeof createStreamAfterArchive>
  start: (settings?: { archiveKey?: string; archiveDailyGb?: number }) => void
  stop: () => Promise<void>
  until: (condition: () => boolean) => Promise<void>
  seq: () => number
}

async function createScene(name: string, count: number): Promise<Scene> {
  const random = createRandom(testSeed(name))
  const startAt = Date.now() - 30 * HOUR_MS
  const world = createWorld({ scope: 'network', startAt })
  const events = randomHistory(world, random, count).map(withTrueCid)
  const double = await createJetstreamDouble()
  const archive = createArchiveDouble(double)
  const cacheDir = mkdtempSync(join(tmpdir(), 'slipstream-archive-'))
  const log = pino({ level: 'silent' })
  const v1Dictionary = fixtureDictionaryPath('v1')
  let isRunning = false

  const scene: Scene = {
    world,
    double,
    archive,
    random,
    events,
    stream: undefined as unknown as Scene['stream'],
    start(settings = {}) {
      const config = { archiveKey: undefined, archiveDailyGb: 0, ...settings }
      scene.stream = createStreamAfterArchive(
        { archive: true, jetstreamHosts: [double.url], ...config },
        {
          db: world.db,
          writer: world.writer,
          now: Date.now,
          log,
          createStream: () =>
            createConsumer({
              hosts: [double.url],
              wire: 'v2',
              compress: false,
              v1Dictionary,
              cacheDir,
              log,
              filters: { collections, dids: undefined },
              cursors: streamCursors(world.db),
              async apply(batch) {
                world.commit(batch)
              },
              limits: { backoffBaseMs: 2, backoffMaxMs: 20 },
            }),
          onApplied: () => sleep(1),
          limits: { backoffBaseMs: 2, backoffMaxMs: 10, maxBatchEvents: 20, partBytes: 6_000 },
        },
      )
      scene.stream.start()
      isRunning = true
    },
    async stop() {
      if (isRunning) await scene.stream.stop()
      isRunning = false
    },
    until,
    seq: () => findArchive(world.db, double.url)?.seq ?? 0,
  }
  closers.push(async () => {
    await scene.stop()
    await double.close()
    world.dispose()
    rmSync(cacheDir, { recursive: true, force: true })
  })
  return scene
}

function withTrueCid(event: StreamEvent): StreamEvent {
  if (event.kind !== 'commit' || event.operation === 'delete') return event
  const digest = createHash('sha256').update(dagCbor(event.record)).digest()
  return { ...event, cid: unpackCid(digest) }
}

function emit({ double }: Scene, events: readonly StreamEvent[]): void {
  for (const { seq: _, ...event } of events) double.emit(event as Emission)
}

const isLive =
  ({ world, double }: Scene) =>
  () =>
    streamCursors(world.db)[0]?.seq === double.nextSeq() - 1

function expectAll({ world }: Scene, events: readonly StreamEvent[]): void {
  const oracle = createWorld({ scope: 'network', startAt: Date.now() })
  try {
    for (const event of events) oracle.apply([event])
    const reported = canonicalRows(oracle.db, { withTimes: true })
    expect(reported['posts']!.length).toBeGreaterThan(20)
    expect(canonicalRows(world.db, { withTimes: true })).toEqual(reported)
  } finally {
    oracle.dispose()
  }
}

const streamGapsOf = ({ world }: Scene) =>
  listGaps(world.db, { limit: 100 }).filter(({ did }) => did === undefined)

describe('a stream that begins with the archive', () => {
  it('is complete despite faults, refusals, rewrites and sealing, and if stopped anywhere', async () => {
    const scene = await createScene('archive', 1_400)
    const { archive, double, events, random } = scene
    emit(scene, events.slice(0, 1_000))
    archive.seal(1_000)
    double.raiseFloor(900)
    archive.fault = () => {
      if (random.chance(0.04)) return { status: 500 }
      if (random.chance(0.04)) return { status: 429, headers: { 'retry-after': '0' } }
      if (random.chance(0.04)) archive.rewrite()
      return random.chance(0.04) ? 'cut' : undefined
    }
    archive.damage(1, 2, false)
    for (const stopAt of [150, 420, 700].map((seq) => seq + random.below(200))) {
      scene.start()
      await scene.until(() => scene.seq() >= stopAt)
      archive.hasRanges = random.chance(0.7)
      await scene.stop()
      scene.world.restart()
    }
    emit(scene, events.slice(1_000, 1_200))
    archive.seal(1_150)
    double.raiseFloor(1_150)
    scene.start()
    await scene.until(() => scene.stream.report().archive?.state === 'done')
    emit(scene, events.slice(1_200))
    await scene.until(isLive(scene))
    expectAll(scene, events)
    expect(streamGapsOf(scene)).toEqual([])
    expect(scene.stream.status().reconnects).toBe(0)
    expect(scene.stream.report().archive).toMatchObject({
      seq: 1_150,
      tipSeq: 1_150,
      lostBlocks: 0,
    })
  })

  it('records a gap for an unreadable block, and continues after it', async () => {
    const scene = await createScene('lost block', 500)
    const { archive, events } = scene
    emit(scene, events)
    archive.seal(400)
    const { rows } = archive.damage(0, 3, true)
    scene.start()
    await scene.until(isLive(scene))
    const lost = new Set(rows.map(({ seq }) => seq))
    expectAll(
      scene,
      events.filter((_, i) => !lost.has(i + 1)),
    )
    const [gap, ...more] = streamGapsOf(scene)
    expect(more).toEqual([])
    expect(gap!.cause).toBe('dropped-frame')
    expect(gap!.fromUs).toBeLessThanOrEqual(rows[0]!.timeUs)
    expect(gap!.toUs).toBeGreaterThanOrEqual(rows.at(-1)!.timeUs)
  })

  it('waits for the operator if the key is refused, and sends the key to the archive only', async () => {
    const scene = await createScene('key', 300)
    const { archive, double, events } = scene
    archive.key = 'the right key, of some length'
    emit(scene, events)
    archive.seal(200)
    scene.start({ archiveKey: 'a wrong key' })
    await scene.until(() => scene.stream.report().archive?.waiting?.why === 'refused')
    expect(scene.stream.report().archive).toMatchObject({ state: 'waiting', seq: 0 })
    expect(double.connections()).toEqual([])
    await scene.stop()
    scene.start({ archiveKey: archive.key })
    await scene.until(isLive(scene))
    expectAll(scene, events)
    expect(JSON.stringify(double.connections().map(({ url }) => url))).not.toContain('key')
  })

  it('sends no more requests once the host’s quota or our own is used up', async () => {
    const scene = await createScene('quota', 300)
    const { archive, events } = scene
    emit(scene, events)
    archive.seal(300)
    archive.headers = { 'ratelimit-remaining': '0', 'ratelimit-reset': '3600' }
    scene.start()
    await scene.until(() => scene.stream.report().archive?.waiting?.why === 'quota')
    expect(archive.requests.length).toBe(1)
    await scene.stop()
    archive.headers = {}
    archive.fault = ({ method }) =>
      method === 'getSegment' ? { status: 429, headers: { 'retry-after': '7200' } } : undefined
    scene.start()
    await scene.until(() => scene.stream.report().archive?.waiting?.why === 'quota')
    expect(scene.stream.report().archive!.waiting!.until).toBeGreaterThan(Date.now() + HOUR_MS)
    await scene.stop()
    archive.fault = () => undefined
    const requested = archive.requests.length
    scene.start({ archiveDailyGb: 1e-9 })
    await scene.until(() => scene.stream.report().archive?.waiting?.why === 'quota')
    expect(archive.requests.length - requested).toBeLessThanOrEqual(4)
  })

  it('closes the gap of a long absence, and reads nothing after a short one', async () => {
    const scene = await createScene('absence', 600)
    const { archive, double, events, world } = scene
    emit(scene, events)
    archive.seal(500)
    const done = { tipSeq: 300, events: 0, bytes: 0, lostBlocks: 0, day: 0, dayBytes: 0 }
    const was = { ...done, host: double.url, seq: 300, timeUs: 0, startedAt: 1, finishedAt: 2 }
    putArchive(world.db, was)
    world.apply(events.slice(0, 300))
    const block = { host: double.url, wire: 'v2', seq: 300 } as const
    replaceStreamCursors(world.db, { ...block, timeUs: (Date.now() - HOUR_MS) * 1000 }, 1)
    scene.start()
    expect(scene.stream.report().archive).toBeUndefined()
    await scene.stop()
    expect(archive.requests).toEqual([])
    double.raiseFloor(450)
    replaceStreamCursors(world.db, { ...block, timeUs: (Date.now() - 26 * HOUR_MS) * 1000 }, 1)
    scene.start()
    await scene.until(isLive(scene))
    expectAll(scene, events)
    expect(streamGapsOf(scene)).toEqual([])
  })

  it('is refused if it conflicts with other settings', () => {
    const good = {
      archive: true,
      archiveKey: 'k',
      indexScope: 'network',
      jetstreamWire: 'v2',
      jetstreamHosts: ['wss://host.test'],
      allowPrivateHosts: false,
    }
    expect(unfitArchive(good)).toBeUndefined()
    expect(unfitArchive({ ...good, indexScope: 'community' })?.message).toContain('INDEX_SCOPE')
    expect(unfitArchive({ ...good, jetstreamWire: 'v1' })?.message).toContain('v1')
    expect(unfitArchive({ ...good, jetstreamHosts: ['ws://host.test'] })?.message).toContain('KEY')
    expect(unfitArchive({ ...good, archive: false, indexScope: 'authors' })).toBeUndefined()
  })
})
