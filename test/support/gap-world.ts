// A world whose stream has gaps: the main stream's consumer and the gap repair on Jetstream doubles, next to
// an oracle that receives every event as it happens.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Consumer,
  createConsumer,
  type StreamBatch,
  type StreamEvent,
  type StreamFilters,
} from '@slipstream/jetstream'
import { pino } from 'pino'
import { collections } from '../../src/base/atproto/collections.ts'
import type { Logger } from '../../src/base/obs/log.ts'
import { type Gap, gapCounts, listGaps } from '../../src/data/store/stream/gaps.ts'
import { streamCursors } from '../../src/data/store/stream/stream-cursors.ts'
import { noRetry, type WriteRetry } from '../../src/data/store/write-retry.ts'
import type { GapLimits } from '../../src/ingest/replay/gap-context.ts'
import { createGapRepair, type GapRepair } from '../../src/ingest/replay/gap-repair.ts'
import { circleOf } from '../../src/ingest/replay/gap-sweep.ts'
import { createHeadTracker, type StreamHead } from '../../src/ingest/replay/stream-head.ts'
import { until } from './eventually.ts'
import { fixtureDictionaryPath } from './jetstream-double/dictionaries.ts'
import {
  createJetstreamDouble,
  type DoubleOptions,
  type JetstreamDouble,
} from './jetstream-double/double.ts'
import type { Emission } from './jetstream-double/emission.ts'
import { createWorld, type World, type WorldOptions } from './world.ts'

export type GapWorld = {
  readonly world: World
  /** Holds every emitted event, applied as it happened. */
  readonly oracle: World
  readonly doubles: JetstreamDouble[]
  /** Emits events into every double's log, and applies them to the oracle. */
  emit(events: readonly StreamEvent[]): void
  /** Opens the main stream, on these doubles in order. */
  connect(hosts?: number[]): Promise<void>
  /** Waits until the main stream has applied all that the double holds. */
  caughtUp(): Promise<void>
  disconnect(): Promise<void>
  startRepair(): void
  stopRepair(): Promise<void>
  /** Waits until no gap is open. */
  repaired(): Promise<void>
  gaps(): Gap[]
  until(condition: () => boolean): Promise<void>
  restart(): Promise<void>
  close(): Promise<void>
}

type GapWorldOptions = {
  world: WorldOptions
  doubles: DoubleOptions[]
  wire?: 'v1' | 'v2' | 'auto'
  compress?: boolean
  limits?: Partial<GapLimits>
  /** Used by all writers. */
  writeRetry?: WriteRetry
}

type RepairOptions = Parameters<typeof createGapRepair>[0]

/** The parts that the main stream and the repair share. */
type Dependencies = Pick<GapWorld, 'world' | 'doubles'> & {
  stream: Omit<RepairOptions['stream'], 'hosts'>
  filters: StreamFilters
  unread: readonly string[]
  writeRetry: WriteRetry
  log: Logger
}

const LOG_LEVEL = process.env['TEST_LOG_LEVEL'] ?? 'silent'

export async function startGapWorld(options: GapWorldOptions): Promise<GapWorld> {
  const cacheDir = mkdtempSync(join(tmpdir(), 'slipstream-gaps-'))
  const startAt = Date.now() - 20 * 3_600_000
  // Its clock is ahead of the events in the oracle's world.
  const world = createWorld({ startAt: Date.now(), ...options.world })
  const oracle = createWorld({ startAt, ...options.world })
  const doubles = await Promise.all(options.doubles.map(createJetstreamDouble))
  const parts = partsOf(options, { world, doubles, cacheDir })
  const main = new MainStream(parts)
  let repair: GapRepair | undefined

  function startRepair(): void {
    repair = createRepair(parts, { head: () => main.head(), limits: options.limits })
    repair.start()
  }

  async function stopRepair(): Promise<void> {
    await repair?.stop()
    repair = undefined
  }

  return {
    world,
    oracle,
    doubles,
    emit(events) {
      for (const event of events) for (const double of doubles) double.emit(toEmission(event))
      oracle.apply([...events])
    },
    connect: (hosts) => main.connect(hosts),
    caughtUp: () => until(() => main.isCaughtUp()),
    disconnect: () => main.disconnect(),
    startRepair,
    stopRepair,
    repaired: () => until(() => isRepaired(world)),
    gaps: () => listGaps(world.db, { limit: 1000 }),
    until,
    async restart() {
      const isRepairing = repair !== undefined
      await main.disconnect()
      await stopRepair()
      world.restart()
      await main.reconnect()
      if (isRepairing) startRepair()
    },
    async close() {
      await main.disconnect()
      await stopRepair()
      await Promise.all(doubles.map((double) => double.close()))
      world.dispose()
      oracle.dispose()
      rmSync(cacheDir, { recursive: true, force: true })
    },
  }
}

function partsOf(
  { wire = 'v2', compress = false, writeRetry = noRetry, world: { scope } }: GapWorldOptions,
  { cacheDir, ...opened }: Pick<Dependencies, 'world' | 'doubles'> & { cacheDir: string },
): Dependencies {
  return {
    ...opened,
    stream: { compress, wire, v1Dictionary: fixtureDictionaryPath('v1'), cacheDir },
    filters: { collections, dids: undefined },
    unread: scope === 'network' ? [] : collections,
    writeRetry,
    log: pino({ level: LOG_LEVEL }),
  }
}

/** The main stream's consumer; each connection resumes at the cursors in the rows. */
class MainStream {
  readonly #parts: Dependencies
  #keeper = createHeadTracker(undefined)
  #consumer: Consumer | undefined
  #host = 0
  #appliedUs = 0

  constructor(parts: Dependencies) {
    this.#parts = parts
  }

  /** @param hosts - indexes of doubles */
  async connect(hosts = [0]): Promise<void> {
    const { world, doubles, stream, filters, unread, log } = this.#parts
    const cursors = streamCursors(world.db)
    this.#keeper = createHeadTracker(cursors[0])
    this.#host = hosts[0]!
    const consumer = createConsumer({
      ...stream,
      hosts: hosts.map((i) => doubles[i]!.url),
      filters,
      unread,
      cursors,
      log,
      apply: (batch) => this.#apply(batch),
      limits: { backoffBaseMs: 2, backoffMaxMs: 20 },
    })
    this.#consumer = consumer
    consumer.start()
    await until(() => consumer.status().connected)
  }

  /** Connects to the first double of the last connection. */
  reconnect(): Promise<void> {
    return this.connect([this.#host])
  }

  async disconnect(): Promise<void> {
    await this.#consumer?.stop()
    this.#consumer = undefined
  }

  head(): StreamHead | undefined {
    return this.#keeper.head()
  }

  isCaughtUp(): boolean {
    const last = this.#parts.doubles[this.#host]!.entries().at(-1)
    return this.#appliedUs >= (last?.event.timeUs ?? 0)
  }

  async #apply(batch: StreamBatch): Promise<void> {
    const { world, writeRetry } = this.#parts
    const apply = () => world.commit(batch)
    if ((await writeRetry.retry(apply)) === undefined) return
    this.#keeper.note(batch)
    this.#appliedUs = batch.cursor.timeUs
  }
}

function createRepair(
  { world, doubles, stream, filters, unread, writeRetry, log }: Dependencies,
  { head, limits }: Pick<RepairOptions, 'head' | 'limits'>,
): GapRepair {
  return createGapRepair({
    db: world.db,
    writer: world.writer,
    filters: () => filters,
    unread,
    log,
    now: Date.now,
    writeRetry,
    onApplied: () => undefined,
    stream: { ...stream, hosts: doubles.map(({ url }) => url) },
    head,
    circle: circleOf(world.actors),
    // There are no servers here, so every account that needs a comparison counts as unchanged.
    onJobs: () => world.db.exec("DELETE FROM jobs WHERE kind = 'check'"),
    limits: { overlapMs: 100, silentMs: 1_500, giveUpMs: 500, lookEveryMs: 20, ...limits },
  })
}

function isRepaired({ db }: World): boolean {
  const { open, repairing } = gapCounts(db)
  return open + repairing === 0
}

function toEmission({ seq: _, ...event }: StreamEvent): Emission {
  return event as Emission
}
