// The stream within its budget over a simulated month, on a Jetstream double: bytes are those of the sockets,
// rows and members are real, and only the clock is made up. Every event of members and those they follow
// arrives, whatever is left out, also over restarts and outages.

import type { CommitEvent, StreamBatch } from '@slipstream/jetstream'
import { createConsumer } from '@slipstream/jetstream'
import { pino } from 'pino'
import { afterEach, expect, test } from 'vitest'
import { streamBytes } from '../../../../src/data/store/stream/stream-bytes.ts'
import { streamChoice } from '../../../../src/data/store/stream/stream-choices.ts'
import { putStreamCursor, streamCursors } from '../../../../src/data/store/stream/stream-cursors.ts'
import { recordTraffic } from '../../../../src/ingest/upkeep/status/record-traffic.ts'
import { createBudgetedStream } from '../../../../src/ingest/upkeep/stream/budgeted-stream.ts'
import { createTraffic, type StreamUse } from '../../../../src/sources/traffic.ts'
import { until } from '../../../support/eventually.ts'
import { fixtureDictionaryPath } from '../../../support/jetstream-double/dictionaries.ts'
import {
  createJetstreamDouble,
  type JetstreamDouble,
} from '../../../support/jetstream-double/double.ts'
import { createRandom } from '../../../support/random.ts'
import { cidOf, tidAt } from '../../../support/records.ts'
import { testSeed } from '../../../support/seed.ts'
import { createWorld } from '../../../support/world.ts'

const HOUR_MS = 3_600_000
const START = Date.UTC(2026, 9, 28)
const [LIKE, POST] = ['app.bsky.feed.like', 'app.bsky.feed.post']
const log = pino({ level: 'silent' })
const cleanups: (() => unknown)[] = []

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function start(budgetBytes: number, wire: 'v1' | 'v2' = 'v2') {
  const double = await createJetstreamDouble()
  const world = createWorld({ members: ['ann'], startAt: START })
  world.follow(world.account('ann'), world.account('bob'))
  cleanups.push(double.close, () => world.dispose())
  const random = createRandom(testSeed('budgeted-stream'))
  const clock = { now: START }
  const arrived = new Set<string>()
  const emitted: { key: string; isOurs: boolean; collection: string; at: number }[] = []
  let serial = 0

  function emit(name: string, collection: string): string {
    const timeUs = clock.now * 1000 + ++serial
    const rkey = tidAt(timeUs)
    const uri = `at://${world.account('bob')}/${POST}/${rkey}`
    const createdAt = new Date(clock.now).toISOString()
    const subject = { uri, cid: cidOf(uri) }
    const record =
      collection === POST ? { text: `post ${serial}`, createdAt } : { subject, createdAt }
    const did = world.account(name)
    const fields = { did, operation: 'create', collection, rkey } as const
    double.emit({ ...fields, timeUs, rev: tidAt(timeUs), record: { $type: collection, ...record } })
    const key = `${did}/${collection}/${rkey}`
    const isOurs = name === 'ann' || name === 'bob'
    emitted.push({ key, isOurs, collection, at: clock.now })
    return key
  }

  function note({ events }: StreamBatch): void {
    for (const { did, collection, rkey } of events as CommitEvent[]) {
      arrived.add(`${did}/${collection}/${rkey}`)
    }
  }

  const running = createRunning({ world, double, clock, note, budgetBytes, wire })
  cleanups.push(() => running.stop())
  await until(() => double.openConnections() > 0)
  return {
    world,
    double,
    clock,
    arrived,
    emitted,
    running,
    emit,
    /** Half a day of the network, in which the last event of each kind is ann’s. */
    async halfADay(): Promise<void> {
      clock.now += 12 * HOUR_MS
      for (let i = 0; i < 30; i++) {
        const stranger = `stranger${random.below(20)}`
        emit(stranger, i % 3 === 0 ? POST : LIKE)
      }
      emit('bob', LIKE)
      const last = [emit('ann', POST), emit('ann', LIKE)]
      if (!running.isOn()) return
      await until(() => last.every((key) => arrived.has(key)))
      running.save()
      await running.settled()
      clock.now += 61_000
      await running.settled()
    },
  }
}

type RunningContext = {
  world: ReturnType<typeof createWorld>
  double: JetstreamDouble
  clock: { now: number }
  note: (batch: StreamBatch) => void
  budgetBytes: number
  wire: 'v1' | 'v2'
}

function ifThereIsSpace(work: () => void): boolean {
  work()
  return true
}

/** Starts and stops the stream on the same rows. */
function createRunning({ world, double, clock, note, budgetBytes, wire }: RunningContext) {
  let level = 0
  let looks = 0
  let on:
    | { stream: ReturnType<typeof createBudgetedStream>; traffic: ReturnType<typeof recordTraffic> }
    | undefined
  const now = () => {
    looks++
    return clock.now
  }

  function start(): void {
    const traffic = createTraffic()
    const { db, writer } = world
    const diskSpace = { ifThereIsSpace }
    const connect =
      (use: StreamUse) =>
      (options: Parameters<Parameters<typeof createBudgetedStream>[0]['connectMain']>[0]) =>
        createConsumer({
          ...options,
          hosts: [double.url],
          wire,
          compress: true,
          alwaysFiltered: use === 'authors',
          v1Dictionary: fixtureDictionaryPath('v1'),
          cacheDir: world.dataDir,
          meter: (host, wire) => traffic.of(host, wire, use),
          log,
          now: () => clock.now,
          limits: { backoffBaseMs: 2, backoffMaxMs: 20, filterSettleMs: 0 },
        })
    const stream = createBudgetedStream({
      db,
      writer,
      diskSpace,
      actors: world.actors,
      log,
      now,
      budgetBytes,
      others: [],
      cursors: streamCursors(db),
      async apply(batch) {
        note(batch)
        writer.commit((ctx) => putStreamCursor(ctx.db, batch.cursor, clock.now))
      },
      applyBeside: async (batch) => note(batch),
      connectMain: connect('stream'),
      connectBeside: connect('authors'),
      onLevel: (next) => {
        level = next
      },
      waits: { lookMs: 2, connectMs: Number.POSITIVE_INFINITY },
    })
    on = {
      stream,
      traffic: recordTraffic({
        traffic,
        db,
        writer,
        diskSpace,
        now: () => clock.now,
        current: () => stream.status(),
        level: () => streamChoice(db).level,
      }),
    }
    stream.start()
  }

  start()
  return {
    start,
    isOn: () => on !== undefined,
    level: () => level,
    save: () => on?.traffic.save(),
    follow: () => on?.stream.setFilters({ collections: [], dids: undefined }),
    async settled(): Promise<void> {
      const before = looks
      await until(() => looks > before + 20)
      await until(() => on!.stream.status().connected)
    },
    async stop(): Promise<void> {
      const was = on
      on = undefined
      was?.traffic.stop()
      await was?.stream.stop()
    },
  }
}

type Started = Awaited<ReturnType<typeof start>>

function missing({ emitted, arrived }: Started, isMeant: (item: Started['emitted'][0]) => boolean) {
  return emitted.filter((item) => isMeant(item) && !arrived.has(item.key)).map(({ key }) => key)
}

async function bytesOfADay(): Promise<number> {
  const started = await start(0)
  for (let i = 0; i < 4; i++) await started.halfADay()
  const { sources } = streamBytes(started.world.db, started.clock.now)
  await started.running.stop()
  return sources.reduce((sum, { bytes }) => sum + bytes, 0) / 2
}

test.for(['v2', 'v1'] as const)(
  'over a month on %s, strangers’ likes are left out, and nothing else',
  async (wire) => {
    const day = await bytesOfADay()
    const budget = day * 31 * 0.75
    const started = await start(budget, wire)
    const { running, clock, world } = started
    const december = Date.UTC(2026, 11, 1)
    while (clock.now < december - 12 * HOUR_MS) {
      await started.halfADay()
      // A restart in mid-month, and a day without the server.
      const date = new Date(clock.now)
      if (date.getUTCHours() !== 12) continue
      if (date.getUTCDate() === 12) {
        await running.stop()
        running.start()
      }
      if (date.getUTCDate() === 20) {
        await running.stop()
        await started.halfADay()
        await started.halfADay()
        running.start()
      }
    }
    expect(missing(started, ({ isOurs }) => isOurs)).toEqual([])
    expect(missing(started, ({ collection }) => collection === POST)).toEqual([])
    expect(running.level()).toBe(1)
    expect(streamBytes(world.db, clock.now).thisMonth).toBeLessThanOrEqual(budget)
    const likes = started.emitted.filter(({ isOurs, collection }) => !isOurs && collection === LIKE)
    const left = missing(started, ({ isOurs, collection }) => !isOurs && collection === LIKE)
    expect(left.length).toBeGreaterThan(likes.length / 2)
    const choices = world.db.prepare('SELECT count(*) FROM stream_choices').pluck().get()
    expect(choices).toBeLessThanOrEqual(2)
  },
)

test('whom a member follows from now on is heard from the moment of the follow on', async () => {
  const started = await start(1)
  const { running, world, clock, emit, arrived } = started
  while (running.level() === 0) await started.halfADay()
  world.follow(world.account('ann'), world.account('cat'))
  running.follow()
  const first = emit('cat', LIKE)
  clock.now += 20_000
  const later = emit('ann', LIKE)
  await until(() => arrived.has(later))
  clock.now += 20_000
  await until(() => {
    clock.now += 1_000
    return arrived.has(first)
  })
  expect(running.level()).toBe(4)
})
