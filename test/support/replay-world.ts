// A world whose main stream and replays come from Jetstream doubles: real consumers, the real indexer, and
// the replays of src/ingest/replay. The events come from the oracle; every double holds all of them.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Consumer, createConsumer, type StreamEvent } from '@slipstream/jetstream'
import { pino } from 'pino'
import { collections } from '../../src/base/atproto/collections.ts'
import type { Logger } from '../../src/base/obs/log.ts'
import { streamCursors } from '../../src/data/store/stream/stream-cursors.ts'
import { noRetry, type WriteRetry } from '../../src/data/store/write-retry.ts'
import type { ReplayLimits } from '../../src/ingest/replay/limits.ts'
import { createReplays, type Replays } from '../../src/ingest/replay/replays.ts'
import { createHeadTracker } from '../../src/ingest/replay/stream-head.ts'
import { until } from './eventually.ts'
import { fixtureDictionaryPath } from './jetstream-double/dictionaries.ts'
import {
  createJetstreamDouble,
  type DoubleOptions,
  type JetstreamDouble,
} from './jetstream-double/double.ts'
import type { Emission } from './jetstream-double/emission.ts'
import { createWorld, type World, type WorldOptions } from './world.ts'

export const HOUR_MS = 3_600_000

export type ReplayWorld = {
  readonly world: World
  readonly doubles: JetstreamDouble[]
  readonly main: Consumer
  readonly replays: Replays
  /** The log lines of each replay that began or ended. */
  readonly lines: { msg: string; [key: string]: unknown }[]
  /** Appends to every double's log. */
  emit(events: readonly StreamEvent[]): void
  /** Resolves when the main stream has applied everything and no replay waits or runs. */
  settled(): Promise<void>
  until(condition: () => boolean): Promise<void>
  /** As after a crash: cuts the sockets and starts everything again from the rows. */
  restart(): Promise<void>
  close(): Promise<void>
}

export type ReplayWorldOptions = {
  world?: WorldOptions
  doubles?: DoubleOptions[]
  limits?: Partial<ReplayLimits>
  wire?: 'v1' | 'v2' | 'auto'
  /**
   * Indexes of the doubles that replays may use, in order; all by default. The main stream uses the
   * first.
   */
  replayHosts?: number[]
  compress?: boolean
  /** Used by every writer. */
  writeRetry?: WriteRetry
}

type ReplaysOptions = Parameters<typeof createReplays>[0]

/** The parts that outlive a restart. */
type Dependencies = Pick<ReplayWorld, 'world' | 'doubles'> & {
  stream: Omit<ReplaysOptions['stream'], 'hosts'>
  writeRetry: WriteRetry
  log: Logger
  /** The sequence number of the last event that the main stream applied. */
  applied: { seq: number }
}

/** The streams, which a restart replaces. */
type Streams = Pick<ReplayWorld, 'main' | 'replays'>

const LOG_LEVEL = process.env['TEST_LOG_LEVEL'] ?? 'info'

export async function startReplayWorld(options: ReplayWorldOptions = {}): Promise<ReplayWorld> {
  const cacheDir = mkdtempSync(join(tmpdir(), 'slipstream-replay-'))
  const world = createWorld({ startAt: Date.now() - 30 * HOUR_MS, ...options.world })
  const doubles = await Promise.all((options.doubles ?? [{}]).map(createJetstreamDouble))
  const lines: ReplayWorld['lines'] = []
  const parts = partsOf(options, { world, doubles, cacheDir, lines })
  let streams = createStreams(parts, options)
  streams.main.start()
  await until(() => streams.main.status().connected)
  streams.replays.start()
  return {
    world,
    doubles,
    lines,
    get main() {
      return streams.main
    },
    get replays() {
      return streams.replays
    },
    emit(events) {
      for (const event of events) for (const double of doubles) double.emit(toEmission(event))
    },
    until,
    settled: () => until(() => isCaughtUp(parts) && isReplayed(world)),
    async restart() {
      await stop(streams)
      world.restart()
      streams = createStreams(parts, options)
      streams.main.start()
      streams.replays.start()
    },
    async close() {
      await stop(streams)
      await Promise.all(doubles.map((double) => double.close()))
      world.dispose()
      rmSync(cacheDir, { recursive: true, force: true })
    },
  }
}

function partsOf(
  { wire = 'v2', compress = false, writeRetry = noRetry }: ReplayWorldOptions,
  {
    cacheDir,
    lines,
    ...opened
  }: Pick<ReplayWorld, 'world' | 'doubles' | 'lines'> & { cacheDir: string },
): Dependencies {
  const write = (line: string) => void lines.push(JSON.parse(line))
  return {
    ...opened,
    stream: { wire, compress, v1Dictionary: fixtureDictionaryPath('v1'), cacheDir },
    writeRetry,
    log: pino({ level: LOG_LEVEL }, { write }),
    applied: { seq: 0 },
  }
}

function createStreams(parts: Dependencies, options: ReplayWorldOptions): Streams {
  const { world, doubles, stream, writeRetry, log, applied } = parts
  const cursors = streamCursors(world.db)
  const saver = createHeadTracker(cursors[0])
  const main = createConsumer({
    ...stream,
    hosts: [doubles[0]!.url],
    filters: { collections, dids: undefined },
    cursors,
    log,
    async apply(batch) {
      const apply = () => world.commit(batch)
      if ((await writeRetry.retry(apply)) === undefined) return
      saver.note(batch)
      applied.seq = batch.cursor.seq ?? 0
      await sleep(1)
    },
    limits: { backoffBaseMs: 2, backoffMaxMs: 20 },
  })
  return { main, replays: createReplaysOver(parts, { head: () => saver.head(), options }) }
}

function createReplaysOver(
  { world, doubles, stream, writeRetry, log }: Dependencies,
  { head, options }: Pick<ReplaysOptions, 'head'> & { options: ReplayWorldOptions },
): Replays {
  const { replayHosts = doubles.map((_, i) => i), limits } = options
  return createReplays({
    db: world.db,
    writer: world.writer,
    log,
    now: Date.now,
    writeRetry,
    stream: { ...stream, hosts: replayHosts.map((i) => doubles[i]!.url) },
    head,
    onJobs: () => undefined,
    limits: {
      minAccounts: 1,
      gatherMs: 30,
      quietMs: 300,
      overlapMs: 300,
      silentMs: 20_000,
      ...limits,
    },
  })
}

async function stop({ main, replays }: Streams): Promise<void> {
  await Promise.all([main.stop(), replays.stop()])
}

function isCaughtUp({ applied, doubles }: Dependencies): boolean {
  return applied.seq >= (doubles[0]!.entries().at(-1)?.event.seq ?? 0)
}

function isReplayed({ db }: World): boolean {
  const waiting = db.prepare('SELECT 1 FROM replay_accounts UNION SELECT 1 FROM replays')
  return waiting.get() === undefined
}

function toEmission({ seq: _, ...event }: StreamEvent): Emission {
  return event as Emission
}
