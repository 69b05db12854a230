// Counts the statements and rows that a page of a long timeline reads, instead of its time. The count is the
// same at the tip, in the middle and at the very beginning, and no higher for a history five times as long; a
// page read before comes mostly from memory.

import { afterEach, expect, test } from 'vitest'
import type { Db } from '../../../../src/data/store/db.ts'
import { createArrivalSource } from '../../../../src/features/timelines/sources/arrival-source.ts'
import { prepareArrivalBlocks } from '../../../../src/features/timelines/store/read/arrival-blocks.ts'
import { prepareArrivals } from '../../../../src/features/timelines/store/read/arrivals.ts'
import { createWorld, type World } from '../../../support/world.ts'

const ACCOUNTS = 250
const LIMIT = 25

let world: World
afterEach(() => world.dispose())

/** Accounts in rotation. */
function fillUpTo(length: number): void {
  world.db.exec(`INSERT INTO arrivals (uid, item, at)
    WITH RECURSIVE n(i) AS (
      SELECT coalesce(max(seq), 0) FROM arrivals UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ${length})
    SELECT 1 + i % ${ACCOUNTS}, i * 2, i FROM n`)
}

/** A connection that counts the rows and statements requested. */
function counting(db: Db): { db: Db; taken(): number } {
  let count = 0
  const note = <T>(value: T): T => {
    count += Array.isArray(value) ? value.length + 1 : 1
    return value
  }
  const prepare = (source: string) => {
    const statement = db.prepare<unknown[], unknown>(source)
    const counted = {
      get: (...given: unknown[]) => note(statement.get(...given)),
      all: (...given: unknown[]) => note(statement.all(...given)),
      raw() {
        statement.raw()
        return counted
      },
      pluck() {
        statement.pluck()
        return counted
      },
    }
    return counted
  }
  const taken = () => {
    const all = count
    count = 0
    return all
  }
  return { db: { ...db, prepare } as unknown as Db, taken }
}

function open(follows: number) {
  const { db, taken } = counting(world.reader)
  const arrivals = prepareArrivals(db)
  const blocks = prepareArrivalBlocks(db)
  const uids = Array.from({ length: follows }, (_, i) => 1 + i * Math.floor(ACCOUNTS / follows))
  const set = new Set(uids)
  const source = () =>
    createArrivalSource({
      key: 'following:x',
      arrivals,
      blocks,
      flagsOf: () => 0,
      originators: {
        size: follows,
        has: (uid) => set.has(uid),
        all: () => uids,
        taken: (all) => all,
      },
      describe: () => new Map(),
      eventId: String,
      gapsIn: () => [],
    })
  /** Reads for a page and the event before it, by a new reader. */
  const read = async (at: number, isForward: boolean) => {
    taken()
    const item = source()
    const { events } = await item.read({ at, isForward, limit: LIMIT })
    expect(events.length).toBe(LIMIT)
    const lowest = Math.min(...events.map(({ seq }) => seq))
    const before = item.before(lowest)
    expect(before ?? 0).toBeLessThan(lowest)
    return taken()
  }
  return { read, follows }
}

const POSITIONS = [0.999, 0.75, 0.5, 0.25, 0.001]

test.each([1, 10, 50, 125])(
  'of %d accounts, at any position and for any length of history',
  async (follows) => {
    world = createWorld({ scope: 'network', members: ['alice'] })
    let most = 0
    for (const length of [50_000, 250_000]) {
      fillUpTo(length)
      for (const position of POSITIONS) {
        for (const isForward of [true, false]) {
          const isNearEnd = isForward ? position > 0.99 : position < 0.01
          if (isNearEnd) continue
          const taken = await open(follows).read(Math.floor(length * position), isForward)
          if (length > 50_000) expect(taken).toBeLessThanOrEqual(most * 1.5)
          else most = Math.max(most, taken)
        }
      }
    }
  },
)

test('rereading a page takes few rows', async () => {
  world = createWorld({ scope: 'network', members: ['alice'] })
  fillUpTo(50_000)
  const { read } = open(125)
  const [first, second] = [await read(25_000, false), await read(25_000, false)]
  expect(first).toBeGreaterThan(100)
  expect(second).toBeLessThan(10)
})
