// What programs may make a server store: all bytes of a timeline count, whichever field they are in, and
// skipped numbers take a row for each stretch of them, however many are skipped.

import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { DAY_MS, MINUTE_MS } from '../../../../src/base/util/durations.ts'
import { FILE_NAME, openWriter, type WriteDb } from '../../../../src/data/store/db.ts'
import { migrate } from '../../../../src/data/store/migrate.ts'
import { transact } from '../../../../src/data/store/transact.ts'
import { noRetry } from '../../../../src/data/store/write-retry.ts'
import { putMovedHoles } from '../../../../src/features/timelines/store/moved-timelines.ts'
import {
  customBytes,
  findCustomTimeline,
} from '../../../../src/features/timelines/store/programs/custom-timelines.ts'
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

const SEED = testSeed('skipped numbers')
/** As documented. */
const WAITED_FOR_MS = 5_000
let folder: string
let db: WriteDb
let tending: ReturnType<typeof tendTimelines>
let now = 1_800_000_000_000

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  folder = mkdtempSync(join(tmpdir(), 'slipstream-bounded-'))
  db = openWriter(folder)
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
    payload: '{}',
    producerTs: now,
    key: undefined,
    body: Buffer.alloc(16),
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

const giveUp = () => vi.advanceTimersByTime(500)
const tidy = () => vi.advanceTimersByTime(MINUTE_MS)
const numbered = (number: number, producer = 'p') => ({ numbered: { producer, number } })
const key = (i: number) => ({ key: Buffer.from(String(i).padStart(16)) })
const counted = (table: string) =>
  db.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get()!

/** Bytes of the pages that hold programs' timelines. */
const stored = () =>
  db
    .prepare<[], number>(
      "SELECT sum(pgsize) FROM dbstat WHERE name LIKE 'custom\\_%' ESCAPE '\\' AND name NOT LIKE '%graph%'",
    )
    .pluck()
    .get()!

function holes(from = 0, to = Number.MAX_SAFE_INTEGER) {
  const reader = prepareCustomTimelines(db)
  const found = reader.holes(reader.find('news')!.id, from, to)
  return found.map((hole) => [hole.from, hole.to, hole.isOpen])
}

test.each<[string, (i: number) => Partial<TimelinePost>]>([
  ['subjects', (i) => ({ entityId: `${i}${'\u{1f98e}'.repeat(500)}` })],
  ['payloads', (i) => ({ payload: JSON.stringify(`${i}${'€'.repeat(600)}`) })],
  ['idempotency keys', key],
  ['numbers of many producers', (i) => numbered(1, `${i}${'p'.repeat(200)}`)],
  ['skipped numbers', (i) => numbered(1 + i * 2)],
])('the documented size holds whatever fills it: %s', (_, fieldsOf) => {
  const bytes = 400_000
  const append = appender({ bytes, producers: 100_000, holes: 100_000 })
  for (let i = 0; i < 3_000; i += 100) {
    append(...Array.from({ length: 100 }, (_, j) => post(String(i + j), fieldsOf(i + j))))
    giveUp()
  }
  const row = findCustomTimeline(db, 'news')!
  // SQLite leaves up to half of its pages empty.
  expect(stored()).toBeLessThan(bytes * 2.4)
  expect(row.bytes + row.other_bytes).toBeGreaterThan(stored() / 3)
  // Producers stay with their timeline, and there are a thousand.
  if (counted('custom_producers') < 1_000)
    expect(row.bytes + row.other_bytes).toBeLessThan(bytes * 1.01)
})

test('keys take at most half of a timeline, and are room again after a day', () => {
  const append = appender({ bytes: 100_000 })
  const outcomes = Array.from({ length: 500 }, (_, i) => append(post('x', key(i)))[0]!)
  const refused = outcomes.filter((outcome) => !outcome.ok)
  expect(refused.map((item) => !item.ok && item.error)).toContain('TooManyIdempotencyKeys')
  expect(outcomes.length - refused.length).toBeGreaterThan(300)
  expect(append(post('without'))[0]!.ok).toBe(true)
  now += DAY_MS + 1
  tidy()
  expect(findCustomTimeline(db, 'news')!.other_bytes).toBe(0)
  expect(append(post('x', key(1_000)))[0]!.ok).toBe(true)
})

test('a key used again after a day counts once', () => {
  const append = appender()
  append(post('x', key(1)))
  const { other_bytes } = findCustomTimeline(db, 'news')!
  now += DAY_MS + 1
  append(post('y', key(1)))
  expect(findCustomTimeline(db, 'news')!.other_bytes).toBe(other_bytes)
  expect(counted('custom_keys')).toBe(1)
})

test('all timelines together keep their documented size, with all that belongs to them', () => {
  const append = appender({ allBytes: 300_000 })
  const large = (i: number) =>
    post('€'.repeat(1_000), { name: `t${i % 7}`, ...key(i), ...numbered(i, 'p'.repeat(128)) })
  const outcomes = Array.from({ length: 200 }, (_, i) => append(large(i + 1))[0]!)
  expect(new Set(outcomes.map((outcome) => outcome.ok || outcome.error))).toEqual(
    new Set([true, 'TimelinesFull']),
  )
  expect(customBytes(db)).toBeLessThanOrEqual(300_000)
  expect(customBytes(db)).toBeGreaterThan(290_000)
})

test('nearly a million skipped numbers are few rows, and each gap is told whole', () => {
  const append = appender()
  append(post('1', numbered(1)))
  for (let i = 1; i <= 900; i++) {
    append(post(`${i}`, numbered(1 + i * 1_001)))
    now += WAITED_FOR_MS
    giveUp()
  }
  expect(counted('custom_holes')).toBe(900)
  expect(holes(2, 1_002)).toEqual([[2, 1_001, false]])
  expect(holes(500, 600)).toEqual([[500, 600, false]])
  const reader = prepareCustomTimelines(db)
  const { id } = reader.find('news')!
  const page = reader.read(id, { at: 0, isForward: true, limit: 100 })
  expect(page.map(({ seq }) => seq)).toEqual(Array.from({ length: 100 }, (_, i) => 1 + i * 1_001))
  // A number in the middle arrives after all.
  expect(append(post('late', numbered(500)))[0]).toMatchObject({ ok: true, seq: 900_902 })
  expect(append(post('late', numbered(500)))[0]).toMatchObject({ error: 'NumberPosted' })
  expect(holes(2, 1_002)).toEqual([
    [2, 499, false],
    [501, 1_001, false],
  ])
  for (let i = 901; i <= 1_100; i++) {
    append(post(`${i}`, numbered(1 + i * 1_001)))
    now += WAITED_FOR_MS
    giveUp()
  }
  expect(counted('custom_holes')).toBe(1_000)
})

test(`stretches match a naive list of numbers (seed ${SEED})`, () => {
  const random = createRandom(SEED)
  const append = appender({ holes: 300 })
  const naive = new Map<number, { name: string; since: number; isOpen: boolean }>()
  const producers = ['a', 'b', 'c']
  const last = new Map(producers.map((producer) => [producer, 0]))
  let top = 0
  for (let step = 0; step < 600; step++) {
    now += random.below(1_500)
    const awaited = [...naive]
    const producer = random.pick(producers)
    if (awaited.length > 0 && random.chance(0.5)) {
      const [seq, { name, isOpen }] = random.pick(awaited)
      const [of, number] = name.split(' ') as [string, string]
      const expected = isOpen ? seq : ++top
      expect(append(post(name, numbered(Number(number), of)))[0]).toMatchObject({ seq: expected })
      naive.delete(seq)
    } else {
      const first = last.get(producer)! + 1
      const skipped = first > 1 && random.chance(0.4) ? random.below(40) : 0
      const [outcome] = append(post('new', numbered(first + skipped, producer)))
      const open = [...naive.values()].filter(({ isOpen }) => isOpen).length
      expect(outcome!.ok).toBe(skipped === 0 || skipped + open <= 300)
      if (!outcome!.ok) continue
      for (let i = 0; i < skipped; i++) {
        naive.set(++top, { name: `${producer} ${first + i}`, since: now, isOpen: true })
      }
      expect(outcome).toMatchObject({ seq: ++top })
      last.set(producer, first + skipped)
    }
    if (random.chance(0.3)) {
      giveUp()
      for (const item of naive.values()) if (item.since <= now - WAITED_FOR_MS) item.isOpen = false
    }
    expect(holes()).toEqual(stretchesOf(naive))
  }
}, 60_000)

/** As [from, to, isOpen], joined if adjacent and alike. */
function stretchesOf(naive: ReadonlyMap<number, { isOpen: boolean }>) {
  const stretches: [number, number, boolean][] = []
  for (const [seq, { isOpen }] of [...naive].sort(([a], [b]) => a - b)) {
    const before = stretches.at(-1)
    if (before && before[1] === seq - 1 && before[2] === isOpen) before[1] = seq
    else stretches.push([seq, seq, isOpen])
  }
  return stretches
}

test('skipped numbers moved by an earlier version, one by one, become stretches', () => {
  const append = appender()
  append(post('1', numbered(1)))
  const { id } = findCustomTimeline(db, 'news')!
  const singles = Array.from({ length: 50 }, (_, i) => ({
    seq: 10 + i,
    producer: i < 30 ? 'a' : 'b',
    number: 5 + i,
    since: 1,
  }))
  transact(db, () => putMovedHoles(db, id, singles))
  transact(db, () => putMovedHoles(db, id, singles))
  expect(counted('custom_holes')).toBe(2)
  expect(holes()).toEqual([[10, 59, false]])
})

test('an upgrade joins skipped numbers, and counts what is stored already', () => {
  const append = appender()
  const upto = (i: number) => post('€'.repeat(i), { ...key(i), ...numbered(1 + i * 5) })
  append(...Array.from({ length: 40 }, (_, i) => upto(i)))
  const expected = { row: findCustomTimeline(db, 'news'), holes: holes() }
  db.close()
  const older = mkdtempSync(join(tmpdir(), 'slipstream-bounded-'))
  toVersion42(join(folder, FILE_NAME), join(older, FILE_NAME))
  db = openWriter(older)
  expect({ row: findCustomTimeline(db, 'news'), holes: holes() }).toEqual(expected)
  expect(counted('custom_holes')).toBe(39)
})

/** The same content as version 42 stored it: holes by number, and bytes that count payloads only. */
function toVersion42(from: string, path: string): void {
  const old = new Database(path)
  migrate(old, 42)
  old.exec(`
    ATTACH '${from}' AS newer;
    INSERT INTO custom_timelines
      SELECT id, name, created_at, last_seq, events, 1, change FROM newer.custom_timelines;
    INSERT INTO custom_events SELECT * FROM newer.custom_events;
    INSERT INTO custom_keys SELECT * FROM newer.custom_keys;
    INSERT INTO custom_producers SELECT * FROM newer.custom_producers;
    INSERT INTO custom_holes SELECT timeline, seq + value, producer, number + value, since, is_given_up
      FROM newer.custom_holes, json_each('[0,1,2,3,4,5,6,7,8,9]') WHERE value < count`)
  old.close()
}
