// A timeline in a merge that does not answer in time is left out of the page, which says so, and included in
// the next.

import { afterEach, expect, test } from 'vitest'
import { createCursors } from '../../../../src/features/timelines/sources/signed-cursor.ts'
import { createTimelines } from '../../../../src/features/timelines/sources/timelines.ts'
import type { Arrived, TimelineSource } from '../../../../src/features/timelines/sources/types.ts'
import { createWorld, type World } from '../../../support/world.ts'
import { entityIdOf } from '../support/timeline-events.ts'

let world: World
afterEach(() => world.dispose())

type Answering = (slice: ReturnType<typeof sliceOf>) => unknown

function sliceOf(numbers: readonly number[], range: { at: number; limit: number }) {
  const events = numbers
    .filter((seq) => seq > range.at)
    .slice(0, range.limit)
    .map((seq): Arrived => ({ seq, at: seq }))
  const isEnd = events.length < range.limit
  return { events, reached: events.at(-1)?.seq ?? range.at, isEnd }
}

/** Each event's number is also its time. */
function source(key: string, numbers: readonly number[], answer: Answering): TimelineSource {
  return {
    key,
    numbers: key,
    tip: () => numbers.at(-1)!,
    read: (range) => answer(sliceOf(numbers, range)) as ReturnType<TimelineSource['read']>,
    before: (seq) => numbers.findLast((number) => number < seq),
    describe: (events) =>
      new Map(
        events.map(({ seq }) => {
          return [seq, { id: `${key}/${seq}`, type: 'note', payload: '{}', producerTs: seq }]
        }),
      ),
    eventId: (seq) => `${key}/${seq}`,
    gaps: () => [],
  }
}

const KEY = 'custom:here+custom:elsewhere'
const never = new Promise(() => undefined)

/** Reads both timelines in pages of three; `answer` is the behaviour of the second. */
function reader(answer: Answering) {
  world = createWorld()
  const here = source('custom:here', [1, 3, 5, 7], (slice) => slice)
  const elsewhere = source('custom:elsewhere', [2, 4, 6], answer)
  const timelines = createTimelines({
    db: world.reader,
    cursors: createCursors(() => [{ id: 1, secret: Buffer.from('secret') }]),
    open: ({ text }) => (text === 'custom:here' ? here : elsewhere),
  })
  return async (cursor: string | undefined) => {
    const from = cursor === undefined ? { direction: 'forward' as const } : { cursor }
    const page = await timelines.page({ key: KEY, limit: 3, ...from })
    return { ...page, ids: page.events.map(entityIdOf) }
  }
}

test('skips a source that takes longer than 200 ms, and keeps its position', async () => {
  let isSlow = false
  const read = reader((slice) => (isSlow ? never : Promise.resolve(slice)))
  const first = await read(undefined)
  expect(first.ids).toEqual(['custom:here/1', 'custom:elsewhere/2', 'custom:here/3'])
  expect(first.skipped).toEqual([])
  isSlow = true
  const second = await read(first.nextCursor)
  expect(second.ids).toEqual(['custom:here/5', 'custom:here/7'])
  expect(second.skipped).toEqual(['custom:elsewhere'])
  isSlow = false
  const third = await read(second.nextCursor)
  expect(third.ids).toEqual(['custom:elsewhere/4', 'custom:elsewhere/6'])
  expect(third.skipped).toEqual([])
})

test('also skips a source that fails', async () => {
  let isBroken = true
  const read = reader((slice) => (isBroken ? Promise.reject(new Error('away')) : slice))
  const first = await read(undefined)
  expect([first.ids.length, first.skipped]).toEqual([3, ['custom:elsewhere']])
  isBroken = false
  expect((await read(first.nextCursor)).ids).toEqual([
    'custom:elsewhere/2',
    'custom:elsewhere/4',
    'custom:elsewhere/6',
  ])
})
