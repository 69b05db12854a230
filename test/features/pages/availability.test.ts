// The bar of the last thirty days, from planted samples, read directly and on the page of a running server.

import { afterEach, describe, expect, test } from 'vitest'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../src/base/util/durations.ts'
import { type HistorySample, putHistory } from '../../../src/data/store/counts/history.ts'
import { beginRun, endRun } from '../../../src/data/store/counts/history-holes.ts'
import { openWriter, type WriteDb } from '../../../src/data/store/db.ts'
import { readAvailability } from '../../../src/features/pages/availability.ts'
import {
  freshDataDir,
  type SlipstreamProcess,
  startSlipstream,
} from '../../support/slipstream-process.ts'

const WELL: HistorySample = { requests_s: 10, failures_s: 0, lag_ms: 40, open_gaps: 0 }
const TOKEN = 'the-operators-own-token'
const TEN = 10 * MINUTE_MS
/** Noon, so that no stretch spans two days by accident. */
const NOW = Date.UTC(2026, 4, 20, 12)

let db: WriteDb | undefined
let slipstream: SlipstreamProcess | undefined
afterEach(async () => {
  db?.close()
  db = undefined
  await slipstream?.stop('SIGKILL')
  slipstream = undefined
})

type Stretch = { from: number; to: number; sample: HistorySample | undefined }

/**
 * Adds a sample every ten minutes, and every minute of the last day, except in the given stretches.
 */
function plant(to: WriteDb, { from, until }: { from: number; until: number }, odd: Stretch[] = []) {
  to.exec('BEGIN')
  for (let at = from; at < until; at += at < until - DAY_MS ? TEN : MINUTE_MS) {
    const stretch = odd.find((stretch) => at >= stretch.from && at < stretch.to)
    const sample = stretch ? stretch.sample : WELL
    if (sample) putHistory(to, at, sample)
  }
  to.exec('COMMIT')
}

function opened(from: number, odd: Stretch[] = []) {
  db = openWriter(freshDataDir())
  plant(db, { from, until: NOW }, odd)
  return readAvailability(db, NOW)
}

describe('read from the history', () => {
  test('a server that never ran has no data', () => {
    db = openWriter(freshDataDir())
    const { days, upShare, incidents } = readAvailability(db, NOW)
    expect([days.length, upShare, incidents]).toEqual([30, undefined, []])
    expect(new Set(days.map(({ level }) => level))).toEqual(new Set(['none']))
  })

  test('days before the first sample are unknown, and do not count as absence', () => {
    const { days, upShare, incidents } = opened(NOW - 3 * DAY_MS)
    expect([upShare, incidents]).toEqual([1, []])
    expect(days.map(({ level }) => level)).toEqual([
      ...Array.from({ length: 26 }, () => 'none'),
      ...Array.from({ length: 4 }, () => 'good'),
    ])
  })

  test('a server younger than a day is known from its first minute on', () => {
    const { days, upShare } = opened(NOW - 2 * HOUR_MS)
    expect([upShare, days.at(-1)?.level, days.at(-2)?.level]).toEqual([1, 'good', 'none'])
  })

  test('holes are absences: to ten minutes, and to a minute on the last day', () => {
    const long = NOW - 5 * DAY_MS
    const short = NOW - 3 * HOUR_MS
    const { days, upShare, incidents } = opened(NOW - 10 * DAY_MS, [
      { from: long, to: long + 30 * MINUTE_MS, sample: undefined },
      { from: short, to: short + 3 * MINUTE_MS, sample: undefined },
    ])
    const away = { level: 'bad', title: 'Not running' }
    expect(incidents).toEqual([
      { ...away, from: short, to: short + 3 * MINUTE_MS },
      { ...away, from: long, to: long + 30 * MINUTE_MS },
    ])
    expect(upShare).toBeCloseTo(1 - 33 / (10 * 24 * 60), 6)
    const levels = days.slice(-6).map(({ level }) => level)
    expect(levels).toEqual(['bad', 'good', 'good', 'good', 'good', 'notice'])
    expect(days.at(-6)?.upShare).toBeCloseTo(1 - 30 / (24 * 60), 6)
  })

  test('ends without a stop are incidents; a run of less than a minute between two is none', () => {
    db = openWriter(freshDataDir())
    plant(db, { from: NOW - DAY_MS, until: NOW })
    const at = (seconds: number) => NOW - HOUR_MS + seconds * SECOND_MS
    // Its samples are of every minute, so the last one before is up to a minute old.
    for (const seconds of [0, 30, 55, 900]) beginRun(db, at(seconds))
    putHistory(db, at(950), WELL)
    endRun(db)
    beginRun(db, at(965))
    const { incidents, upShare } = readAvailability(db, NOW)
    const ended = { level: 'bad', title: 'Ended unexpectedly' }
    expect(incidents).toEqual([
      { ...ended, from: at(850), to: at(900) },
      { ...ended, from: at(10), to: at(55), title: 'Ended unexpectedly, 2 times' },
    ])
    expect(upShare).toBeCloseTo(1 - 95 / (24 * 60 * 60), 6)
  })

  test('a server that kept ending until its first sample has an incident from its first start', () => {
    db = openWriter(freshDataDir())
    const first = NOW - 10 * MINUTE_MS
    for (const seconds of [0, 8, 16, 24]) beginRun(db, first + seconds * SECOND_MS)
    plant(db, { from: first + MINUTE_MS, until: NOW })
    const { incidents } = readAvailability(db, NOW)
    const title = 'Ended unexpectedly, 3 times'
    expect(incidents).toEqual([{ level: 'bad', title, from: first, to: first + 24 * SECOND_MS }])
  })

  test('failures, lateness and open gaps are distinguished, the worst at any moment first', () => {
    const at = (hours: number) => NOW - hours * HOUR_MS
    const stretch = (hours: number, sample: HistorySample) => ({
      from: at(hours),
      to: at(hours) + 5 * MINUTE_MS,
      sample: { ...WELL, ...sample },
    })
    const { incidents, upShare } = opened(NOW - 2 * DAY_MS, [
      stretch(6, { failures_s: 1 }),
      stretch(5, { failures_s: 0.05 }), // half a percent
      stretch(4, { lag_ms: 5 * MINUTE_MS }),
      stretch(3, { open_gaps: 1 }),
      stretch(2, { open_gaps: 1, lag_ms: 5 * MINUTE_MS, failures_s: 1 }),
    ])
    expect(incidents.map(({ title, level, from }) => [title, level, from])).toEqual([
      ['Answers failed', 'bad', at(2)],
      ['Events missing, being mended', 'notice', at(3)],
      ['Behind the network', 'notice', at(4)],
      ['Answers failed', 'bad', at(6)],
    ])
    expect(upShare).toBe(1)
  })

  test('an ongoing problem is an incident until now', () => {
    const { incidents } = opened(NOW - DAY_MS, [
      { from: NOW - TEN, to: NOW, sample: { ...WELL, lag_ms: HOUR_MS } },
    ])
    expect(incidents).toMatchObject([{ from: NOW - TEN, to: NOW, title: 'Behind the network' }])
  })
})

test('a running server shows its days and incidents, and marks them in the charts', async () => {
  const dataDir = freshDataDir()
  const now = Date.now()
  const planted = openWriter(dataDir)
  const hole = Math.floor((now - 3 * DAY_MS) / TEN) * TEN
  const span = { from: now - 6 * DAY_MS, until: now }
  plant(planted, span, [{ from: hole, to: hole + 2 * TEN, sample: undefined }])
  planted.close()
  slipstream = startSlipstream({
    JETSTREAM_HOSTS: 'ws://127.0.0.1:1',
    PLC_URL: 'http://127.0.0.1:1',
    DATA_DIR: dataDir,
    OPERATOR_TOKEN: TOKEN,
  })
  const origin = `http://127.0.0.1:${await slipstream.port()}`

  const page = await (await fetch(origin, { headers: { accept: 'text/html' } })).text()
  const bars = page.match(/<li class="(?:good|notice|bad|none)" title="[^"]+">/g) ?? []
  expect(bars).toHaveLength(30)
  expect(bars.filter((bar) => bar.includes('class="bad"'))).toHaveLength(1)
  expect(bars[0]).toContain('no data')
  expect(page).toMatch(/Not running<\/strong> for 20 min, <time datetime="[^"]+">/)
  expect(page).toMatch(/<strong>99\.\d+ % up in the last 6 days</)
  expect(page).toMatch(/No incident since \d+ \w{3,4}, \d\d:\d\d UTC\./)

  const headers = { authorization: `Bearer ${TOKEN}` }
  const read = async (ring: string) => {
    const answer = await fetch(`${origin}/explore/api/history/${ring}`, { headers })
    return (await answer.json()) as { incidents: object[] }
  }
  const incident = { from: hole, to: hole + 2 * TEN, level: 'bad', title: 'Not running' }
  expect((await read('month')).incidents).toContainEqual(incident)
  expect((await read('day')).incidents).not.toContainEqual(incident)
})
