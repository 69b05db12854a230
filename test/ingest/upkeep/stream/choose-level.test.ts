// What is left out over simulated months: a stream with days, nights and bursts, its bytes in the real rows.

import { expect, test } from 'vitest'
import { addStreamBytes, streamBytes } from '../../../../src/data/store/stream/stream-bytes.ts'
import {
  addStreamPaces,
  putStreamChoice,
  streamChoice,
  streamPaces,
} from '../../../../src/data/store/stream/stream-choices.ts'
import {
  dayBytesAt,
  measuredMs,
  STREAM_LEVELS,
  type StreamLevel,
} from '../../../../src/data/store/stream/stream-levels.ts'
import { chooseLevel } from '../../../../src/ingest/upkeep/stream/choose-level.ts'
import { openEmpty } from '../../../support/empty-database.ts'
import { createRandom } from '../../../support/random.ts'
import { testSeed } from '../../../support/seed.ts'
import { freshDataDir } from '../../../support/slipstream-process.ts'

const STEP_MS = 3_600_000
const DAY_MS = 86_400_000
const START = Date.UTC(2026, 9, 21)
/** Gigabytes a day of the whole network; of the authors, a fiftieth. */
const KINDS: Record<string, number> = {
  'app.bsky.feed.like': 4.8,
  'app.bsky.feed.post': 2,
  'app.bsky.feed.repost': 1,
  'app.bsky.graph.follow': 0.6,
  identity: 0.1,
}
const COMMON = 0.5
const SOURCE = { host: 'wss://jet.example', wire: 'v2', frames: 1, plain: 0 }

/** @param isDown - while the server is away, nothing is received nor chosen */
function simulate(budgetGb: number, days: number, isDown: (ms: number) => boolean = () => false) {
  const db = openEmpty(freshDataDir())
  const random = createRandom(testSeed('choose-level'))
  const changes: { at: number; level: StreamLevel }[] = []
  const months = new Map<string, number>()
  let missedMs = 0

  function receive(now: number, level: StreamLevel): void {
    const hours = (now % DAY_MS) / 3_600_000
    const noise = 0.7 + random.next() * 0.6 + (random.next() < 0.01 ? 2 : 0)
    const tide = (1 + 0.6 * Math.sin((hours / 24) * 2 * Math.PI)) * noise
    const days = (STEP_MS + missedMs) / DAY_MS
    missedMs = 0
    const left = STREAM_LEVELS[level]!.collections
    const paces = Object.entries(KINDS).map(([kind, gb]) => {
      const isAuthors = level === 4 || left.includes(kind)
      const bytes = (gb * 1e9 * days * tide) / (isAuthors ? 50 : 1)
      return { kind, whose: isAuthors ? ('authors' as const) : ('all' as const), bytes }
    })
    const common = { kind: '', whose: 'all' as const, bytes: COMMON * 1e9 * days * tide }
    const received = Math.round([common, ...paces].reduce((sum, { bytes }) => sum + bytes, 0))
    const row = { ...SOURCE, use: 'stream', kind: '', received, seconds: STEP_MS / 1000 }
    addStreamBytes(db, now, [row])
    addStreamPaces(db, now, level, [common, ...paces])
    const month = new Date(now).toISOString().slice(0, 7)
    months.set(month, (months.get(month) ?? 0) + received)
  }

  db.exec('BEGIN')
  for (let now = START; now < START + days * DAY_MS; now += STEP_MS) {
    if (isDown(now)) {
      missedMs += STEP_MS
      continue
    }
    const { level, since } = streamChoice(db)
    receive(now, level)
    const paces = streamPaces(db)
    const next = chooseLevel({
      level,
      changedAt: since,
      now,
      budgetBytes: budgetGb * 1e9,
      receivedBytes: streamBytes(db, now).thisMonth,
      dayBytesAt: (at) => dayBytesAt(at, paces),
      measuredMs: measuredMs(paces),
      highest: 4,
    })
    if (next === level) continue
    putStreamChoice(db, now, { level: next, resume: undefined })
    changes.push({ at: now, level: next })
  }
  db.exec('ROLLBACK')
  return { months: [...months.values()].map((bytes) => bytes / 1e9), changes }
}

test('nothing is left out while a month fits', () => {
  expect(simulate(400, 40).changes).toEqual([])
})

test.for([
  [200, 1],
  [122, 2],
  [98, 3],
  [60, 4],
] as const)('within %i GB a month, the choice settles at level %i', ([budget, level]) => {
  const { months, changes } = simulate(budget, 72)
  const [, november, december] = months
  expect(november).toBeLessThanOrEqual(budget)
  expect(december).toBeLessThanOrEqual(budget)
  expect(changes.at(-1)?.level).toBe(level)
  expect(changes.length).toBeLessThanOrEqual(4)
})

test('a month that is too small leaves out all that may be, and no more', () => {
  const { changes } = simulate(1, 45)
  expect(changes.at(-1)?.level).toBe(4)
  expect(changes.length).toBe(1)
})

test('a budget that just fits does not make it go back and forth', () => {
  for (const budget of [272, 103]) {
    expect(simulate(budget, 100).changes.length).toBeLessThanOrEqual(8)
  }
})

test('days without the server count in the pace, and the month’s bytes go on after them', () => {
  const isDown = (ms: number) => new Date(ms).getUTCDate() % 5 === 0
  const { months } = simulate(200, 75, isDown)
  expect(months[1]).toBeLessThanOrEqual(200)
  expect(months[1]).toBeGreaterThan(100)
})

test('too many accounts for the hosts’ filters end it at once', () => {
  const now = { now: START, changedAt: START, measuredMs: DAY_MS }
  const fixed = { ...now, budgetBytes: 1, receivedBytes: 5 }
  const dayBytesAt = () => 1e9
  expect(chooseLevel({ ...fixed, level: 4, dayBytesAt, highest: 3 })).toBe(3)
  expect(chooseLevel({ ...fixed, level: 2, dayBytesAt, highest: 0 })).toBe(0)
})
