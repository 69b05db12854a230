// One contract for both implementations of TimelineWriter, then the two against each other under
// random operations, then real reading threads against a writer that never rests.

import { Worker } from 'node:worker_threads'
import { describe, expect, test } from 'vitest'
import { createMemoryTimelines } from '../../../../test/support/memory-timelines.ts'
import { createRandom, type Random } from '../../../../test/support/random.ts'
import { readerIsDone } from '../../../../test/support/reading-thread.ts'
import { createTimelines, openTimelines } from '../../src/timeline/rings.ts'
import type { TimelineEntry } from '../../src/timeline/types.ts'

const implementations = { rings: createTimelines, twin: createMemoryTimelines }
const SEEDS = [1, 2, 3, 4, 5]

function entry(sortAt: number, item: number = sortAt, originator = 7, rank = 0): TimelineEntry {
  return { sortAt, rank, item, originator }
}

describe.each(Object.entries(implementations))('%s', (_, create) => {
  test('a timeline that is not open does not exist and accepts no items', () => {
    const timelines = create(10)
    timelines.insert(1, entry(5))
    expect(timelines.isOpen(1)).toBe(false)
    expect(timelines.read(1, undefined, 10)).toBeUndefined()
    expect(timelines.openCount).toBe(0)
  })

  test('items are read newest first, whatever the order of arrival', () => {
    const timelines = create(10)
    timelines.open(1, [entry(3), entry(9)], false)
    for (const sortAt of [5, 10, 1, 4]) timelines.insert(1, entry(sortAt))
    const slice = timelines.read(1, undefined, 10)
    expect(slice?.entries.map(({ sortAt }) => sortAt)).toEqual([10, 9, 5, 4, 3, 1])
    expect(slice?.truncated).toBe(false)
  })

  test('ties of time are broken by rank, then by item, descending', () => {
    const timelines = create(10)
    timelines.open(1, [], false)
    for (const [rank, item] of [
      [1, 1],
      [2, 1],
      [1, 3],
      [2, 0],
    ] as const) {
      timelines.insert(1, entry(100, item, 7, rank))
    }
    const order = timelines.read(1, undefined, 10)?.entries.map(({ rank, item }) => [rank, item])
    expect(order).toEqual([
      [2, 1],
      [2, 0],
      [1, 3],
      [1, 1],
    ])
  })

  test('items may be as large as ids get, and are distinguished and ordered by all their bits', () => {
    const timelines = create(10)
    const items = [2 ** 38 - 1, 2 ** 37, 2 ** 32 + 5, 2 ** 32 - 1, 2 ** 31, 5]
    timelines.open(1, [], false)
    for (const item of items.toReversed())
      timelines.insert(1, entry(2 ** 42, item, 2 ** 28, 2 ** 15 - 1))
    timelines.remove(1, entry(2 ** 42, 2 ** 32 + 5, 2 ** 28, 2 ** 15 - 1))
    const left = items.filter((item) => item !== 2 ** 32 + 5)
    const read = timelines.read(1, undefined, 10)
    expect(read?.entries).toEqual(left.map((item) => entry(2 ** 42, item, 2 ** 28, 2 ** 15 - 1)))
  })

  test('a repeated item is stored once', () => {
    const timelines = create(10)
    timelines.open(1, [entry(1), entry(1)], false)
    timelines.insert(1, entry(1))
    expect(timelines.read(1, undefined, 10)?.entries).toEqual([entry(1)])
  })

  test('a full timeline drops its oldest and says that older ones exist', () => {
    const timelines = create(3)
    timelines.open(1, [entry(1), entry(2), entry(3)], false)
    expect(timelines.read(1, undefined, 9)?.truncated).toBe(false)
    timelines.insert(1, entry(4))
    const slice = timelines.read(1, undefined, 9)
    expect(slice?.entries.map(({ sortAt }) => sortAt)).toEqual([4, 3, 2])
    expect(slice?.truncated).toBe(true)
  })

  test('items below a removed one are never accepted: they would hide a hole', () => {
    const timelines = create(3)
    timelines.open(1, [entry(10), entry(20), entry(30), entry(40)], false)
    timelines.removeOriginator(1, 7)
    timelines.insert(1, entry(5))
    timelines.insert(1, entry(10))
    timelines.insert(1, entry(15))
    expect(timelines.read(1, undefined, 9)?.entries.map(({ sortAt }) => sortAt)).toEqual([15])
  })

  test('reading continues strictly after a position, whether or not it still exists', () => {
    const timelines = create(10)
    timelines.open(1, [entry(1), entry(2), entry(3)], false)
    const sortAts = (before: TimelineEntry) =>
      timelines.read(1, before, 10)?.entries.map(({ sortAt }) => sortAt)
    expect(sortAts(entry(3))).toEqual([2, 1])
    timelines.remove(1, entry(2))
    expect(sortAts(entry(2))).toEqual([1])
    expect(sortAts(entry(1))).toEqual([])
  })

  test('large times, ranks, items and originators are returned unchanged', () => {
    const timelines = create(2)
    const large = {
      sortAt: 2 ** 43 - 1,
      rank: 2 ** 15 - 1,
      item: 2 ** 32 - 1,
      originator: 2 ** 31 + 5,
    }
    timelines.open(1, [large], false)
    expect(timelines.read(1, undefined, 1)?.entries).toEqual([large])
  })

  test('a closed timeline leaves nothing behind for the next one', () => {
    const timelines = create(3)
    timelines.open(1, [entry(1), entry(2), entry(3), entry(4)], true)
    timelines.close(1)
    timelines.open(2, [], false)
    expect(timelines.read(2, undefined, 9)).toEqual({ entries: [], truncated: false })
    expect(timelines.read(1, undefined, 9)).toBeUndefined()
    expect([...timelines.owners()]).toEqual([2])
  })
})

const CAPACITY = 12
const OWNERS = 5

function randomEntry(random: Random): TimelineEntry {
  const [sortAt, rank, item] = [random.below(40), random.below(2), random.below(4)]
  return { sortAt, rank, item, originator: 1 + ((sortAt * 7 + rank * 3 + item) % 4) }
}

type AnyTimelines = ReturnType<typeof createMemoryTimelines>

function randomOperation(random: Random): (timelines: AnyTimelines) => void {
  const owner = 1 + random.below(OWNERS)
  const timelineEntry = randomEntry(random)
  const some = Array.from({ length: random.below(20) }, () => randomEntry(random))
  const truncated = random.chance(0.3)
  const dice = random.next()
  if (dice < 0.7) return (timelines) => timelines.insert(owner, timelineEntry)
  if (dice < 0.85) return (timelines) => timelines.remove(owner, timelineEntry)
  if (dice < 0.9) return (timelines) => timelines.removeOriginator(owner, timelineEntry.originator)
  if (dice < 0.97) return (timelines) => timelines.open(owner, some, truncated)
  return (timelines) => timelines.close(owner)
}

test.each(SEEDS)('rings and twin agree after every one of 20,000 operations (seed %i)', (seed) => {
  const random = createRandom(seed)
  const rings = createTimelines(CAPACITY)
  const twin = createMemoryTimelines(CAPACITY)
  const reader = openTimelines(rings.handle)
  for (let i = 0; i < 20_000; i++) {
    const operation = randomOperation(random)
    operation(rings)
    operation(twin)
    const owner = 1 + random.below(OWNERS)
    const before = random.chance(0.5) ? randomEntry(random) : undefined
    const limit = 1 + random.below(CAPACITY)
    const expected = twin.read(owner, before, limit)
    expect(rings.read(owner, before, limit)).toEqual(expected)
    expect(reader.read(owner, before, limit)).toEqual(expected)
    expect(reader.isOpen(owner)).toBe(twin.isOpen(owner))
  }
})

// Every entry that the writer creates satisfies item = sortAt * 3 and originator = owner, which
// exposes an entry that is half written, moved during the read, or another owner's.
const READER = `
  import { parentPort, workerData } from 'node:worker_threads'
  import { openTimelines } from ${JSON.stringify(new URL('../../src/timeline/rings.ts', import.meta.url).pathname)}
  const { handle, owners, stop } = workerData
  const timelines = openTimelines(handle)
  let reads = 0
  const bad = []
  while (Atomics.load(stop, 0) === 0 && bad.length === 0) {
    for (let owner = 1; owner <= owners; owner++) {
      const slice = timelines.read(owner, undefined, 64)
      reads++
      Atomics.store(stop, 1, reads)
      let last = Infinity
      for (const entry of slice?.entries ?? []) {
        const isRight = entry.item === entry.sortAt * 3 && entry.originator === owner && entry.sortAt < last
        if (!isRight) bad.push(entry)
        last = entry.sortAt
      }
    }
  }
  parentPort.postMessage({ reads, bad: bad.slice(0, 3) })
`

test('reading threads never see half a change', async () => {
  const owners = 40
  const random = createRandom(9)
  const rings = createTimelines(64)
  const stop = new Int32Array(new SharedArrayBuffer(8))
  const worker = new Worker(READER, {
    eval: true,
    workerData: { handle: rings.handle, owners, stop },
  })
  const done = new Promise<{ reads: number; bad: unknown[] }>((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
  })
  await new Promise((resolve) => worker.once('online', resolve))
  const make = (owner: number) => {
    const sortAt = random.below(1_000)
    return { sortAt, rank: 0, item: sortAt * 3, originator: owner }
  }
  const isDone = readerIsDone(stop, 1_000)
  for (let i = 0; i < 400_000 || !isDone(); i++) {
    const owner = 1 + random.below(owners)
    const dice = random.next()
    if (dice < 0.02) rings.close(owner)
    else if (dice < 0.05)
      rings.open(
        owner,
        Array.from({ length: 70 }, () => make(owner)),
        false,
      )
    else if (dice < 0.2) rings.remove(owner, make(owner))
    else rings.insert(owner, make(owner))
    if (i % 20_000 === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  Atomics.store(stop, 0, 1)
  const { reads, bad } = await done
  expect(bad).toEqual([])
  expect(reads).toBeGreaterThan(1_000)
})
