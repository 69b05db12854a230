// A source that is read for as long as a stream lasts: it remembers no event of earlier pages, and the answers
// after many pages are those of a new source.

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, expect, test } from 'vitest'
import type { LoggedEntry } from '../../../../src/features/cluster/engine/following-log.ts'
import { createArrivalSource } from '../../../../src/features/timelines/sources/arrival-source.ts'
import { createLoggedSource } from '../../../../src/features/timelines/sources/logged-source.ts'
import { describeOwn } from '../../../../src/features/timelines/sources/timelines.ts'
import type { TimelineSource } from '../../../../src/features/timelines/sources/types.ts'
import { prepareArrivalBlocks } from '../../../../src/features/timelines/store/read/arrival-blocks.ts'
import {
  type ArrivalRange,
  prepareArrivals,
} from '../../../../src/features/timelines/store/read/arrivals.ts'
import { createRandom } from '../../../support/random.ts'
import { testSeed } from '../../../support/seed.ts'
import { createWorld, type World } from '../../../support/world.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const SEED = testSeed('long streams')
const EVENTS = 100_000
const LIMIT = 100
/** What a source may hold after them; an entry for each would be megabytes. */
const MOST_BYTES = 1 << 20

let world: World
afterEach(() => world.dispose())

/** Arrivals of 50 accounts in rotation. */
function fill(): void {
  world.db.exec(`INSERT INTO arrivals (uid, item, at)
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${EVENTS})
    SELECT 1 + i % 50, i * 2, i FROM n`)
}

function openSource(): () => TimelineSource {
  const arrivals = prepareArrivals(world.reader)
  const blocks = prepareArrivalBlocks(world.reader)
  const uids = Array.from({ length: 50 }, (_, i) => 1 + i)
  const set = new Set(uids)
  return () =>
    createArrivalSource({
      key: 'following:x',
      arrivals,
      blocks,
      flagsOf: () => 0,
      originators: { size: 50, has: (uid) => set.has(uid), all: () => uids, taken: (all) => all },
      describe: (events) => new Map(events.map(({ seq }) => [seq, { fields: '' }] as const)),
      eventId: String,
      gapsIn: () => [],
    })
}

/** `following:` over a log that other nodes share. */
function openLog(): () => TimelineSource {
  const entries = Array.from(
    { length: EVENTS },
    (_, i): LoggedEntry => ({ number: i + 1, uri: `at://did:plc:x/p/${i + 1}`, at: i }),
  )
  const read = async (_did: string, { at, isForward, limit }: ArrivalRange) => {
    const found = isForward ? entries.slice(at, at + limit) : []
    return { entries: found, isEnd: found.length < limit }
  }
  return () =>
    createLoggedSource({
      key: 'following:x',
      did: 'did:plc:x',
      uid: 1,
      logs: { tipOf: () => EVENTS, read },
      items: {
        byUri: (uris) => new Map(uris.map((uri) => [uri, { uid: 1, item: 2 }] as const)),
      } as Parameters<typeof createLoggedSource>[0]['items'],
      actors: { flagsOf: () => 0 },
      graph: { has: () => true },
      blocked: () => () => false,
      describe: (events) => new Map(events.map(({ seq }) => [seq, { fields: '' }] as const)),
      gaps: () => [],
    })
}

async function readAll(source: TimelineSource): Promise<void> {
  let before: number | undefined
  for (let at = 0, isEnd = false; !isEnd; ) {
    const page = await source.read({ at, isForward: true, limit: LIMIT })
    for (const [seq, event] of describeOwn(source, page.events)) {
      if (event.before !== before) expect([seq, event.before]).toEqual([seq, before])
      before = seq
    }
    at = page.reached
    isEnd = page.isEnd
  }
  expect(before).toBe(EVENTS)
}

test.each([
  ['rows', openSource],
  ['a shared log', openLog],
])('a stream over %s holds nothing of the events it has read', async (_, prepare) => {
  world = createWorld({ scope: 'network', members: ['alice'] })
  fill()
  const open = prepare()
  // Caches that all readers share are filled first.
  await readAll(open())
  const source = open()
  collectGarbage()
  const before = process.memoryUsage().heapUsed
  await readAll(source)
  collectGarbage()
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(MOST_BYTES)
  expect((await source.read({ at: EVENTS, isForward: true, limit: LIMIT })).events).toEqual([])
})

test(`after any pages, in any order, it answers as a new source does (seed ${SEED})`, async () => {
  world = createWorld({ scope: 'network', members: ['alice'] })
  fill()
  const random = createRandom(SEED)
  const open = openSource()
  const lasting = open()
  for (let step = 0; step < 300; step++) {
    const range = {
      at: random.below(EVENTS),
      isForward: random.chance(0.5),
      limit: 1 + random.below(LIMIT),
    }
    if (random.chance(0.1)) {
      const seq = 1 + random.below(EVENTS)
      world.db.exec(`DELETE FROM arrivals WHERE seq BETWEEN ${seq} AND ${seq + random.below(50)}`)
    }
    const fresh = open()
    const [first, other] = [await lasting.read(range), await fresh.read(range)]
    expect(first).toEqual(other)
    expect(describeOwn(lasting, first.events)).toEqual(describeOwn(fresh, other.events))
    const elsewhere = random.below(EVENTS)
    expect(lasting.before(elsewhere)).toBe(fresh.before(elsewhere))
  }
})
