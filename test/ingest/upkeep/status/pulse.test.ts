// The figures that the ingest thread reports about itself: rates over the last seconds, their history, and
// counts of its work, each checked against arithmetic done by hand.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createCounts } from '../../../../src/base/obs/counts.ts'
import { createCounterSpace, RequestCounters } from '../../../../src/base/obs/request-counters.ts'
import type { IngestStatus } from '../../../../src/bridge/messages.ts'
import { HISTORY_RINGS, readHistory } from '../../../../src/data/store/counts/history.ts'
import { FILE_NAME, openWriter } from '../../../../src/data/store/db.ts'
import { countBatch, countFetches } from '../../../../src/ingest/upkeep/status/count-work.ts'
import { createPulse } from '../../../../src/ingest/upkeep/status/pulse.ts'
import { recordHistory } from '../../../../src/ingest/upkeep/status/record-history.ts'
import { FetchError } from '../../../../src/sources/identity/fetch-error.ts'
import type { GuardedFetch } from '../../../../src/sources/identity/guarded-fetch.ts'
import { writerOf } from '../../../support/writer-of.ts'

const START = Date.parse('2026-11-01T00:00:00Z')

let dataDir: string
let at: number
const now = () => at

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'slipstream-pulse-'))
  at = START
})
afterEach(() => rmSync(dataDir, { recursive: true }))

test('rates cover the last ten seconds, over all serving threads', () => {
  writeFileSync(join(dataDir, FILE_NAME), 'x'.repeat(1_000))
  writeFileSync(join(dataDir, `${FILE_NAME}-wal`), 'x'.repeat(234))
  const requests = createCounterSpace(2)
  const threads = [0, 1].map((thread) => new RequestCounters(requests, thread, ['io.test.a']))
  const pulse = createPulse({ requests, dataDir, now })
  let received = 0
  let last = pulse.take(received)
  expect(last).toMatchObject({ eventsPerSecond: 0, requestsPerSecond: 0 })
  expect(last).toMatchObject({ databaseBytes: 1_000, logBytes: 234 })
  expect(last.answerMs.p50).toBeUndefined()
  for (let second = 1; second <= 30; second++) {
    at += 1_000
    received += second <= 20 ? 100 : 7
    for (const thread of threads) {
      thread.count('/xrpc/io.test.a', 200, second <= 20 ? 3 : 0.004)
      thread.count('/xrpc/io.test.a', 500, 0.004)
    }
    last = pulse.take(received)
  }
  expect(last).toMatchObject({ eventsPerSecond: 7, requestsPerSecond: 4, failuresPerSecond: 2 })
  expect(last.answerMs.p99!).toBeLessThanOrEqual(5)
  expect(last.freeBytes).toBeGreaterThan(0)
  expect(last.memoryBytes).toBeGreaterThan(10e6)

  for (let second = 0; second < 20; second++) {
    at += 1_000
    last = pulse.take(received)
  }
  expect(last.answerMs.p50, 'of the last ten seconds').toBeUndefined()
  expect(last.hourAnswerMs, 'of the last hour').toBeGreaterThan(0)
  pulse.stop()
})

test('the history holds the mean of the reported values, skipping unknown ones', () => {
  const db = openWriter(dataDir)
  const record = recordHistory(writerOf(db), now)
  const notified = (members: number, lagMs: number | undefined) =>
    record({
      stream: { lagMs },
      visibleMs: { p50: 1, p99: 4, count: members },
      members,
      openGaps: 0,
      timelines: 1,
      actors: 1,
      follows: 1,
      jobs: 0,
      pulse: { eventsPerSecond: members * 2, answerMs: {} },
    } as IngestStatus)
  for (let second = 0; second < 25; second++) {
    notified(second, second % 2 === 0 ? second : undefined)
    at += 1_000
  }
  const { at: times, series } = readHistory(db, HISTORY_RINGS[0], {
    now: at,
    series: ['members', 'events_s', 'lag_ms', 'answer_p50_ms'],
  })
  db.close()
  expect(times).toEqual([START, START + 10_000])
  expect(series.members).toEqual([4.5, 14.5])
  expect(series.events_s).toEqual([9, 29])
  expect(series.lag_ms).toEqual([4, 14])
  expect(series.answer_p50_ms).toEqual([null, null])
})

test('counts work by kind and outcome, and our own requests by their result', async () => {
  const counts = createCounts()
  const events = ['commit', 'unread', 'identity', 'unread'].map((kind) => ({ kind }))
  countBatch(counts, { events } as never, { applied: 3, skipped: { late: 1 } })
  countBatch(counts, { events: [] }, { applied: 0, skipped: {} })
  const answers = [200, 302, 404, 429, 503]
  const fetch = countFetches(
    (async () => {
      const status = answers.shift()
      if (status === undefined) throw new FetchError('timeout', 'too slow')
      return { status }
    }) as unknown as GuardedFetch,
    counts,
  )
  for (let i = 0; i < 6; i++) await fetch('https://x.test/').catch(() => undefined)
  expect(counts.read()).toEqual({
    batches: { applied: 2 },
    events: { commit: 3, identity: 1 },
    outcomes: { applied: 3, late: 1 },
    fetches: { ok: 2, 'client-error': 1, 'rate-limited': 1, 'server-error': 1, timeout: 1 },
  })
})
