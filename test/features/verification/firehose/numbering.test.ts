// A host whose numbers are no longer the ones that it gave: set back, begun anew, or past ours again. What is between
// is a gap, also where only the event itself tells.

import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { StreamBatch, StreamCursor, StreamGap } from '@slipstream/jetstream'
import { pino } from 'pino'
import { afterEach, expect, test } from 'vitest'
import { putStreamCursor } from '../../../../src/data/store/stream/stream-cursors.ts'
import { createFirehose } from '../../../../src/features/verification/firehose/consumer.ts'
import { createJudge } from '../../../../src/features/verification/firehose/judge.ts'
import { createMainRelays } from '../../../../src/features/verification/main-stream.ts'
import type { Core } from '../../../../src/ingest/core.ts'
import { createTraffic } from '../../../../src/sources/traffic.ts'
import { openEmpty } from '../../../support/empty-database.ts'
import { until } from '../../../support/eventually.ts'
import { errorFrame, frameOf, startFirehoseDouble } from '../firehose-double.ts'

const START_MS = Date.UTC(2026, 10, 1)
const NOBODY = { peek: () => undefined, get: async () => undefined, renew: async () => undefined }
const judge = createJudge({ keys: { ...NOBODY, forget() {} }, verifies: () => false })
const log = pino({ level: 'silent' })
const cleanups: (() => unknown)[] = []

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

/** What `name` did, under this number. */
function act(seq: number, name: string, at = seq): Buffer {
  const time = new Date(START_MS + at * 1000).toISOString()
  return frameOf('#identity', { did: `did:plc:${name.padEnd(24, 'a')}`, seq, time })
}

async function startDouble(frames: readonly Buffer[] = []) {
  const double = await startFirehoseDouble()
  cleanups.push(double.close)
  for (const frame of frames) double.send(frame)
  return double
}

type Options = Partial<Parameters<typeof createFirehose>[0]>

function read(host: string, options: Options = {}) {
  const batches: StreamBatch[] = []
  const firehose = createFirehose({
    hosts: [host],
    judge,
    collections: new Set(),
    cursors: [],
    apply: async (batch) => void batches.push(batch),
    onFailure: () => undefined,
    log,
    limits: { backoffBaseMs: 2, backoffMaxMs: 20 },
    ...options,
  })
  cleanups.push(() => firehose.stop())
  firehose.start()
  return {
    firehose,
    seqs: () => batches.flatMap(({ events }) => events.map(({ seq }) => seq)),
    gaps: () => batches.flatMap(({ gaps }) => gaps),
    cursor: () => batches.at(-1)!.cursor,
  }
}

/** The position after three events. */
async function afterThree(): Promise<StreamCursor> {
  const double = await startDouble()
  const reader = read(double.url)
  await until(() => double.openConnections() === 1)
  for (const seq of [1, 2, 3]) double.send(act(seq, 'b'))
  await until(() => reader.seqs().length === 3)
  await reader.firehose.stop()
  return reader.cursor()
}

const GAP = { fromUs: (START_MS + 3_000) * 1000, cause: 'outdated-cursor' }

test('where the numbers are the same, it goes on behind the last event, which does not count twice', async () => {
  const cursor = await afterThree()
  const double = await startDouble([1, 2, 3, 4].map((seq) => act(seq, 'b')))
  const reader = read(double.url, { cursors: [{ ...cursor, host: double.url }] })
  await until(() => reader.seqs().length > 0)
  expect([reader.seqs(), reader.gaps()]).toEqual([[4], []])
  expect(double.cursors).toEqual(['2'])
})

test.each([
  [
    'numbers that were given again, and are past ours',
    [act(1, 'c'), act(3, 'c', 7), act(4, 'c', 8)],
  ],
  ['a host that sends only what is new', [act(9, 'b')]],
])('%s: what is between is a gap', async (_, frames) => {
  const cursor = await afterThree()
  const double = await startDouble(frames)
  const reader = read(double.url, { cursors: [{ ...cursor, host: double.url }] })
  await until(() => reader.seqs().length > 0)
  expect(reader.gaps()).toMatchObject([GAP])
})

test('a host that begins anew and does not say so is noticed by its first event', async () => {
  const cursor = await afterThree()
  const double = await startDouble()
  const far = { ...cursor, host: double.url, seq: 500 }
  const reader = read(double.url, { cursors: [far] })
  await until(() => double.openConnections() === 1)
  double.send(act(1, 'd'))
  await until(() => reader.seqs().length > 0)
  expect(reader.gaps()).toMatchObject([GAP])
  expect(reader.cursor().seq).toBe(1)
})

test('the gap of a number that was never given reaches to the next connection, also if nothing follows', async () => {
  const double = await startDouble()
  const cursor = { ...(await afterThree()), host: double.url, seq: 500 }
  double.notices.push(errorFrame('FutureCursor', 'in the future'))
  let nowMs = START_MS + 60_000
  const reader = read(double.url, { cursors: [cursor], now: () => nowMs })
  await until(() => reader.firehose.status().lastError?.startsWith('FutureCursor') === true)
  // What comes now, nobody brings.
  nowMs += 60_000
  double.disconnect()
  await until(() => reader.gaps().length > 0)
  expect(double.cursors).toEqual(['499', null])
  expect(reader.gaps()).toMatchObject([{ ...GAP, toUs: nowMs * 1000 }])
  expect(reader.cursor()).toMatchObject({ seq: undefined, timeUs: nowMs * 1000, isByClock: true })
})

test('of several hosts, one that has brought nothing so far leaves a gap after a restart', async () => {
  const [busy, quiet] = [await startDouble([act(1, 'b')]), await startDouble()]
  const db = openEmpty(mkdtempSync(join(tmpdir(), 'slipstream-numbering-')))
  const timeUs = START_MS * 1000
  putStreamCursor(db, { host: busy.url, wire: 'repos', seq: 1, timeUs }, START_MS)
  const gaps: StreamGap[] = []
  const counts = { add: () => undefined }
  const core = {
    db,
    log,
    traffic: createTraffic(),
    counts,
    now: () => START_MS + 60_000,
  } as unknown as Core
  const consumer = createMainRelays(core, {
    hosts: [busy.url, quiet.url],
    use: 'always',
    judge,
    apply: async (batch) => void gaps.push(...batch.gaps),
  })
  cleanups.push(() => consumer.stop())
  consumer.start()
  await until(() => quiet.openConnections() === 1)
  quiet.send(act(8, 'e'))
  await until(() => gaps.length > 0)
  expect(gaps).toMatchObject([{ host: quiet.url, fromUs: timeUs }])
})
