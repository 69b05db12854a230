// A world whose stream has gaps: the main stream's consumer and the gap repair on Jetstream doubles, next to
// an oracle that receives every event as it happens.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { collections } from '../../src/base/atproto/collections.ts'
import type { StreamEvent } from '../../src/base/event.ts'
import { type Gap, gapCounts, listGaps } from '../../src/data/store/gaps.ts'
import { streamCursors } from '../../src/data/store/stream-cursors.ts'
import { noRetry, type WriteRetry } from '../../src/data/store/write-retry.ts'
import type { GapLimits } from '../../src/ingest/replay/gap-parts.ts'
import { createGapRepair, type GapRepair } from '../../src/ingest/replay/gap-repair.ts'
import { circleOf } from '../../src/ingest/replay/gap-sweep.ts'
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

const LOG_LEVEL = process.env['TEST_LOG_LEVEL'] ?? 'silent'

export async function startGapWorld(options: {
  world: WorldOptions
  doubles: DoubleOptions[]
  wire?: 'v1' | 'v2' | 'auto'
  compress?: boolean
  limits?: Partial<GapLimits>
  /** Used by all writers. */
  writeRetry?: WriteRetry
}): Promise<GapWorld> {
  const { wire = 'v2', compress = false, writeRetry = noRetry } = options
  const cacheDir = mkdtempSync(join(tmpdir(), 'slipstream-gaps-'))
  const startAt = Date.now() - 20 * 3_600_000
  // Its clock is ahead of the events in the oracle's world.
  const world = createWorld({ startAt: Date.now(), ...options.world })
  const oracle = createWorld({ startAt, ...options.world })
  const doubles = await Promise.all(options.doubles.map(createJetstreamDouble))
  const log = pino({ level: LOG_LEVEL })
  const filters = { collections, dids: undefined }
  const stream = { compress, wire, v1Dictionary: fixtureDictionaryPath('v1'), cacheDir }
  const unread = options.world.scope === 'network' ? [] : collections
  let keeper = createHeadTracker(undefined)
  let main: Consumer | undefined
  let repair: GapRepair | undefined
  let mainHost = 0
  let appliedUs = 0

  async function connect(hosts = [0]): Promise<void> {
    const cursors = streamCursors(world.db)
    keeper = createHeadTracker(cursors[0])
    mainHost = hosts[0]!
    main = createConsumer({
      ...{ ...stream, hosts: hosts.map((i) => doubles[i]!.url), filters, unread, cursors, log },
      async apply(batch) {
        const apply = () => world.commit(batch)
        if ((await writeRetry.retry(apply)) === undefined) return
        keeper.note(batch)
        appliedUs = batch.cursor.timeUs
      },
      limits: { backoffBaseMs: 2, backoffMaxMs: 20 },
    })
    main.start()
    await until(() => main!.status().connected)
  }

  function startRepair(): void {
    repair = createGapRepair({
      ...{
        db: world.db,
        writer: world.writer,
        filters: () => filters,
        unread,
        log,
        now: Date.now,
        writeRetry,
      },
      onApplied: () => undefined,
      stream: { ...stream, hosts: doubles.map(({ url }) => url) },
      head: () => keeper.head(),
      circle: circleOf(world.actors),
      // There are no servers here, so every account that needs a comparison counts as unchanged.
      onJobs: () => world.db.exec("DELETE FROM jobs WHERE kind = 'check'"),
      limits: {
        overlapMs: 100,
        silentMs: 1_500,
        giveUpMs: 500,
        lookEveryMs: 20,
        ...options.limits,
      },
    })
    repair.start()
  }

  async function disconnect(): Promise<void> {
    await main?.stop()
    main = undefined
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
    connect,
    caughtUp: () =>
      until(() => appliedUs >= (doubles[mainHost]!.entries().at(-1)?.event.timeUs ?? 0)),
    disconnect,
    startRepair,
    stopRepair,
    repaired: () => {
      return until(() => {
        const { open, repairing } = gapCounts(world.db)
        return open + repairing === 0
      })
    },
    gaps: () => listGaps(world.db, { limit: 1000 }),
    until,
    async restart() {
      const isRepairing = repair !== undefined
      await disconnect()
      await stopRepair()
      world.restart()
      await connect([mainHost])
      if (isRepairing) startRepair()
    },
    async close() {
      await disconnect()
      await stopRepair()
      await Promise.all(doubles.map((double) => double.close()))
      world.dispose()
      oracle.dispose()
      rmSync(cacheDir, { recursive: true, force: true })
    },
  }
}

function toEmission({ seq: _, ...event }: StreamEvent): Emission {
  return event as Emission
}
