// Posts by programs, in random orders, with sequence numbers and idempotency keys, against a naive model.

import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { DAY_MS, MINUTE_MS } from '../../../../src/base/util/durations.ts'
import { openWriter, type WriteDb } from '../../../../src/data/store/db.ts'
import { transact } from '../../../../src/data/store/transact.ts'
import { noRetry } from '../../../../src/data/store/write-retry.ts'
import { eventBytes } from '../../../../src/features/timelines/store/programs/custom-sizes.ts'
import { findCustomTimeline } from '../../../../src/features/timelines/store/programs/custom-timelines.ts'
import type {
  PostOutcome,
  TimelinePost,
} from '../../../../src/features/timelines/store/programs/timeline-posts.ts'
import { prepareCustomTimelines } from '../../../../src/features/timelines/store/read/custom-timelines.ts'
import {
  createAppend,
  LIMITS,
  type TimelineLimits,
} from '../../../../src/features/timelines/writing/append.ts'
import { tendTimelines } from '../../../../src/features/timelines/writing/timeline-requests.ts'
import { createRandom } from '../../../support/random.ts'
import { testSeed } from '../../../support/seed.ts'
import { writerOf } from '../../../support/writer-of.ts'

const SEED = testSeed('custom timelines')
/** As documented. */
const WAITED_FOR_MS = 5_000
let db: WriteDb
let tending: ReturnType<typeof tendTimelines>
let now = 1_800_000_000_000

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  db = openWriter(mkdtempSync(join(tmpdir(), 'slipstream-append-')))
  tending = tendTimelines({ db, writer: writerOf(db, () => now), diskSpace: noRetry })
})
afterEach(() => {
  tending.stop()
  db.close()
  vi.useRealTimers()
})

function post(entityId: string, more: Partial<TimelinePost> = {}): TimelinePost {
  return {
    name: 'news',
    entityId,
    entityType: 'note',
    payload: JSON.stringify({ entityId }),
    producerTs: now,
    key: undefined,
    body: Buffer.from(entityId),
    numbered: undefined,
    ...more,
  }
}

function appender(limits: Partial<TimelineLimits> = {}) {
  const append = createAppend({ ...LIMITS, ...limits })
  return (...posts: TimelinePost[]): PostOutcome[] => {
    let outcomes: PostOutcome[] = []
    transact(db, () => {
      outcomes = append(db, posts, now)
    })
    return outcomes
  }
}

function readAll(name = 'news') {
  const reader = prepareCustomTimelines(db)
  const { id } = reader.find(name)!
  return reader.read(id, { at: 0, isForward: true, limit: 1_000_000 })
}

function holes(name = 'news') {
  const reader = prepareCustomTimelines(db)
  return reader
    .holes(reader.find(name)!.id, 0, 1_000_000)
    .map(({ from, to, isOpen }) => [from, to, isOpen])
}

/** Runs the checks due twice a second, as of `now`; `tidy` runs those due once a minute. */
const giveUp = () => vi.advanceTimersByTime(500)
const tidy = () => vi.advanceTimersByTime(MINUTE_MS)
const numbered = (number: number, producer = 'p') => ({ numbered: { producer, number } })

test('orders out-of-order numbers, and holds readers at the first missing one', () => {
  const append = appender()
  append(post('1', numbered(1)))
  expect(append(post('4', numbered(4)))).toEqual([{ ok: true, seq: 4, receivedAt: now }])
  expect(readAll().map(({ entityId }) => entityId)).toEqual(['1'])
  append(post('2', numbered(2)))
  expect(readAll().map(({ entityId }) => entityId)).toEqual(['1', '2'])
  append(post('3', numbered(3)))
  expect(readAll().map(({ entityId }) => entityId)).toEqual(['1', '2', '3', '4'])
  expect(holes()).toEqual([])
})

test('skips a number missing for five seconds, and appends it last when it arrives', () => {
  const append = appender()
  append(post('1', numbered(1)), post('4', numbered(4)))
  now += WAITED_FOR_MS - 1
  giveUp()
  expect(readAll()).toHaveLength(1)
  now += 1
  giveUp()
  expect(readAll().map(({ entityId }) => entityId)).toEqual(['1', '4'])
  expect(holes()).toEqual([[2, 3, false]])
  expect(append(post('2', numbered(2)))).toEqual([{ ok: true, seq: 5, receivedAt: now }])
  expect(readAll().map(({ entityId }) => entityId)).toEqual(['1', '4', '2'])
  expect(holes()).toEqual([[3, 3, false]])
})

test(`random producers match a naive list (seed ${SEED})`, () => {
  const random = createRandom(SEED)
  const append = appender({ holes: 20 })
  const producers = ['a', 'b', 'c']
  const next = new Map(producers.map((producer) => [producer, 1]))
  const late: { producer: string; number: number }[] = []
  const accepted = new Map<number, string>()
  let visible: string[] = []
  for (let step = 0; step < 400; step++) {
    now += random.below(400)
    const producer = random.pick(producers)
    const isLate = late.length > 0 && random.chance(0.4)
    let number = next.get(producer)!
    let of = producer
    if (isLate) ({ producer: of, number } = late.splice(random.below(late.length), 1)[0]!)
    else if (random.chance(0.15)) late.push({ producer, number: number++ })
    const name = `${of}${number}`
    const outcome = append(post(name, numbered(number, of)))[0]!
    if (!isLate && outcome.ok) next.set(producer, number + 1)
    if (outcome.ok) {
      expect(accepted.has(outcome.seq)).toBe(false)
      accepted.set(outcome.seq, name)
    } else expect(outcome.error).toMatch(/NumberTooFarAhead|NumberPosted/)
    if (random.chance(0.1)) giveUp()
    const seen = readAll()
    const names = seen.map(({ entityId }) => entityId)
    // Events already read keep their place: nothing is inserted between or before them.
    expect(names.slice(0, visible.length)).toEqual(visible)
    expect(names).toEqual(seen.map(({ seq }) => accepted.get(seq)))
    visible = names
  }
  now += WAITED_FOR_MS
  giveUp()
  expect(readAll()).toHaveLength(accepted.size)
}, 60_000)

test('an idempotency key gives the same answer for a day, and 409 for another body', () => {
  const append = appender()
  const key = Buffer.from('key')
  const [first] = append(post('1', { key }))
  now += DAY_MS - 1
  expect(append(post('1', { key }), post('2', { key }))).toEqual([
    first,
    expect.objectContaining({
      ok: false,
      status: 409,
      error: 'IdempotencyConflict',
      stored: { seq: 1, receivedAt: now - DAY_MS + 1 },
    }),
  ])
  now += 1
  expect(append(post('2', { key }))).toEqual([{ ok: true, seq: 2, receivedAt: now }])
  now += DAY_MS + 1
  tidy()
  expect(db.prepare('SELECT count(*) FROM custom_keys').pluck().get()).toBe(0)
})

test('a timeline drops its oldest events by number, size and age', () => {
  const append = appender({ events: 50, bytes: 10_000 })
  for (let i = 0; i < 120; i++) append(post(String(i)))
  expect(readAll().map(({ entityId }) => entityId)).toEqual(
    Array.from({ length: 50 }, (_, i) => String(70 + i)),
  )
  for (let i = 0; i < 20; i++) append(post('big', { payload: JSON.stringify('x'.repeat(1_000)) }))
  const row = findCustomTimeline(db, 'news')!
  const stored = readAll()
  expect(row.events).toBe(stored.length)
  expect(row.bytes).toBe(stored.reduce((sum, event) => sum + eventBytes(event), 0))
  expect(row.bytes).toBeLessThanOrEqual(10_000)
  expect(row.last_seq).toBe(140)
  now += 91 * DAY_MS
  tidy()
  expect(readAll()).toEqual([])
  expect(append(post('after'))).toEqual([{ ok: true, seq: 141, receivedAt: now }])
})

test('posts beyond a limit are refused, and leave nothing behind', () => {
  const append = appender({ timelines: 2, keys: 1, holes: 3, producers: 1, allBytes: 2_000 })
  const reasons = (...posts: TimelinePost[]) =>
    append(...posts).map((postOutcome) => postOutcome.ok || postOutcome.error)
  expect(reasons(post('1'), post('1', { name: 'b' }), post('1', { name: 'c' }))).toEqual([
    true,
    true,
    'TimelinesFull',
  ])
  expect(findCustomTimeline(db, 'c')).toBeUndefined()
  const keyed = (key: string) => post('k', { key: Buffer.from(key), body: Buffer.from(key) })
  expect(reasons(keyed('1'), keyed('2'), keyed('1'))).toEqual([
    true,
    'TooManyIdempotencyKeys',
    true,
  ])
  expect(reasons(post('n', numbered(1)), post('n', numbered(6)))).toEqual([
    true,
    'NumberTooFarAhead',
  ])
  expect(reasons(post('n', numbered(1, 'q')))).toEqual(['TooManyProducers'])
  expect(reasons(post('n', numbered(1)))).toEqual(['NumberPosted'])
  expect(reasons(post('x', { payload: JSON.stringify('x'.repeat(2_000)) }))).toEqual([
    'TimelinesFull',
  ])
})
