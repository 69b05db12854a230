// A world whose main stream and replays come from Jetstream doubles: real consumers, the real indexer, and
// the replays of src/ingest/replay. The events come from the oracle; every double holds all of them.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { collections } from '../../src/base/atproto/collections.ts'
import type { StreamEvent } from '../../src/base/event.ts'
import { streamCursors } from '../../src/data/store/stream-cursors.ts'
import { noRetry, type WriteRetry } from '../../src/data/store/write-retry.ts'
import type { ReplayLimits } from '../../src/ingest/replay/limits.ts'
import { createReplays, type Replays } from '../../src/ingest/replay/replays.ts'
import { createHeadTracker } from '../../src/ingest/replay/stream-head.ts'
import { type Consumer, createConsumer } from '../../src/sources/jetstream/consumer.ts'
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

const LOG_LEVEL = process.env['TEST_LOG_LEVEL'] ?? 'info'

export async function startReplayWorld(options: ReplayWorldOptions = {}): Promise<ReplayWorld> {
  const { wire = 'v2', compress = false, writeRetry = noRetry } = options
  const cacheDir = mkdtempSync(join(tmpdir(), 'slipstream-replay-'))
  const world = createWorld({ startAt: Date.now() - 30 * HOUR_MS, ...options.world })
  const doubles = await Promise.all((options.doubles ?? [{}]).map(createJetstreamDouble))
  const lines: ReplayWorld['lines'] = []
  const log = pino(
    { level: LOG_LEVEL },
    { write: (line: string) => void lines.push(JSON.parse(line)) },
  )
  const filters = { collections, dids: undefined }
  const dictionary = { v1Dictionary: fixtureDictionaryPath('v1'), cacheDir }
  let applied = 0
  let main: Consumer
  let replays: Replays

  function open(): void {
    const keeper = createHeadTracker(streamCursors(world.db)[0])
    const cursors = streamCursors(world.db)
    main = createConsumer({
      ...{ hosts: [doubles[0]!.url], wire, compress, ...dictionary, filters, cursors, log },
      async apply(batch) {
        const apply = () => world.commit(batch)
        if ((await writeRetry.retry(apply)) === undefined) return
        keeper.note(batch)
        applied = batch.cursor.seq ?? 0
        await sleep(1)
      },
      limits: { backoffBaseMs: 2, backoffMaxMs: 20 },
    })
    const hosts = (options.replayHosts ?? doubles.map((_, i) => i)).map((i) => doubles[i]!.url)
    replays = createReplays({
      ...{ db: world.db, writer: world.writer, log, now: Date.now, writeRetry },
      stream: { hosts, wire, compress, ...dictionary },
      head: () => keeper.head(),
      onJobs: () => undefined,
      limits: {
        minAccounts: 1,
        gatherMs: 30,
        quietMs: 300,
        overlapMs: 300,
        silentMs: 20_000,
        ...options.limits,
      },
    })
  }

  const isCaughtUp = () => applied >= (doubles[0]!.entries().at(-1)?.event.seq ?? 0)
  const isReplayed = () =>
    world.db.prepare('SELECT 1 FROM replay_accounts UNION SELECT 1 FROM replays').get() ===
    undefined

  open()
  main!.start()
  await until(() => main.status().connected)
  replays!.start()
  return {
    world,
    doubles,
    lines,
    get main() {
      return main
    },
    get replays() {
      return replays
    },
    emit(events) {
      for (const event of events) for (const double of doubles) double.emit(toEmission(event))
    },
    until,
    settled: () => until(() => isCaughtUp() && isReplayed()),
    async restart() {
      await Promise.all([main.stop(), replays.stop()])
      world.restart()
      open()
      main.start()
      replays.start()
    },
    async close() {
      await Promise.all([main.stop(), replays.stop()])
      await Promise.all(doubles.map((double) => double.close()))
      world.dispose()
      rmSync(cacheDir, { recursive: true, force: true })
    },
  }
}

function toEmission({ seq: _, ...event }: StreamEvent): Emission {
  return event as Emission
}
