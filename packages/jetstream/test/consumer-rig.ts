// A consumer on a double, which collects everything that it delivers.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import { until } from '../../../test/support/eventually.ts'
import { fixtureDictionaryPath } from '../../../test/support/jetstream-double/dictionaries.ts'
import {
  createJetstreamDouble,
  type DoubleOptions,
  type JetstreamDouble,
} from '../../../test/support/jetstream-double/double.ts'
import { cidOf, didOf, tidAt } from '../../../test/support/jetstream-double/made-up-ids.ts'
import { type Consumer, createConsumer } from '../src/consumer.ts'
import type { ConsumerOptions } from '../src/consumer-options.ts'
import type { StreamCursor, StreamEvent, StreamGap } from '../src/event.ts'

export type Rig = {
  consumer: Consumer
  events: StreamEvent[]
  gaps: StreamGap[]
  /** The cursor of each batch, in order. */
  cursors: StreamCursor[]
  logs: { level: number; msg: string; [key: string]: unknown }[]
  seqs(): (number | undefined)[]
  untilConnected(): Promise<void>
  until(condition: () => boolean): Promise<void>
}

export async function startDouble(options: DoubleOptions = {}): Promise<JetstreamDouble> {
  const double = await createJetstreamDouble(options)
  onTestFinished(double.close)
  return double
}

export function tempDir(): string {
  const path = mkdtempSync(join(tmpdir(), 'slipstream-jetstream-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

export function startConsumer(
  hosts: JetstreamDouble | JetstreamDouble[],
  options: Partial<ConsumerOptions> = {},
): Rig {
  const events: StreamEvent[] = []
  const gaps: StreamGap[] = []
  const cursors: StreamCursor[] = []
  const logs: Rig['logs'] = []
  const log = pino(
    { level: 'debug' },
    { write: (line: string) => void logs.push(JSON.parse(line)) },
  )
  const consumer = createConsumer({
    hosts: [hosts].flat().map(({ url }) => url),
    wire: 'v2',
    compress: true,
    v1Dictionary: fixtureDictionaryPath('v1'),
    cacheDir: tempDir(),
    filters: { collections: [], dids: undefined },
    cursors: [],
    log,
    apply: async (batch) => {
      events.push(...(batch.events as StreamEvent[]))
      gaps.push(...batch.gaps)
      cursors.push(batch.cursor)
    },
    ...options,
    limits: { backoffBaseMs: 2, backoffMaxMs: 20, filterSettleMs: 0, ...options.limits },
  })
  onTestFinished(() => consumer.stop())
  consumer.start()
  return {
    consumer,
    events,
    gaps,
    cursors,
    logs,
    seqs: () => events.map(({ seq }) => seq),
    until,
    untilConnected: () => until(() => consumer.status().connected),
  }
}

/** Returns the position of an event that a double holds, as a store would have saved it. */
export function cursorAt(double: JetstreamDouble, seq: number, wire: 'v1' | 'v2'): StreamCursor {
  const { timeUs } = double.entries().find(({ event }) => event.seq === seq)!.event
  return { host: double.url, wire, seq, timeUs }
}

let serial = 0

/** Emits one more like, by account `author`. */
export function emitLike(double: JetstreamDouble, author = 1, timeUs?: number): number {
  const rkey = tidAt(1_700_000_000_000_000 + ++serial * 1000)
  const uri = `at://${didOf(author + 1)}/app.bsky.feed.post/${rkey}`
  const record = {
    $type: 'app.bsky.feed.like',
    createdAt: '2026-11-20T10:00:00.000Z',
    subject: { cid: cidOf(uri), uri },
  }
  const collection = 'app.bsky.feed.like'
  const event = { did: didOf(author), operation: 'create' as const, collection, rkey, record }
  return double.emit({ ...event, ...(timeUs === undefined ? {} : { timeUs }) })
}

export function emitLikes(double: JetstreamDouble, count: number): void {
  for (let i = 0; i < count; i++) emitLike(double, i % 50)
}

export function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i)
}
