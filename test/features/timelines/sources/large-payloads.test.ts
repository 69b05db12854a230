// A merge of programs' timelines whose payloads are as large as they may be: once the time is up, a page has
// fewer events, and the pages behind it have the rest, each once.

import { expect, test } from 'vitest'
import { CallTime } from '../../../../src/base/util/turn.ts'
import { createCustomSource } from '../../../../src/features/timelines/sources/custom-source.ts'
import { merge } from '../../../../src/features/timelines/sources/merge.ts'
import type {
  CustomEvent,
  CustomTimelines,
} from '../../../../src/features/timelines/store/read/custom-timelines.ts'

const TIMELINES = 16
const EVENTS = 250
const LIMIT = 100
/** Of processor time, as the double's clock counts it, for each event read. */
const MS_AN_EVENT = 1
const TURN_MS = 20

/** Timelines by their number, with a clock that only reading moves. */
function startTimelines() {
  let nowMs = 0
  const eventOf = (id: number, seq: number): CustomEvent => ({
    seq,
    entityId: `${id} ${seq}`,
    entityType: 'post',
    payload: '1',
    producerTs: seq,
    receivedAt: seq * TIMELINES + id,
  })
  const timelines = {
    find: (name: string) => ({ id: Number(name), lastSeq: EVENTS, change: 0 }),
    read(id: number, { at, isForward, limit }: { at: number; isForward: boolean; limit: number }) {
      const first = isForward ? at + 1 : Math.min(at, EVENTS + 1) - 1
      const step = isForward ? 1 : -1
      const numbers = Array.from({ length: limit }, (_, i) => first + i * step)
      const found = numbers.filter((seq) => seq >= 1 && seq <= EVENTS)
      nowMs += found.length * MS_AN_EVENT
      return found.map((seq) => eventOf(id, seq))
    },
  } as CustomTimelines
  return { timelines, clock: () => nowMs }
}

test.each([true, false])('forward: %s', (isForward) => {
  const { timelines, clock } = startTimelines()
  const sources = Array.from({ length: TIMELINES }, (_, i) =>
    createCustomSource({ key: `custom:${i}`, name: String(i + 1), timelines }),
  )
  const names: string[] = []
  let at = sources.map(() => (isForward ? 0 : EVENTS + 1))
  for (let isEnd = false; !isEnd; ) {
    const before = clock()
    const page = new CallTime({ turnMs: TURN_MS, clock }).run(() => {
      const slices = sources.map((source, i) =>
        source.read({ at: at[i]!, isForward, limit: LIMIT }),
      )
      return merge(sources, slices as Awaited<(typeof slices)[number]>[], {
        at,
        isForward,
        limit: LIMIT,
      })
    })
    // All sixteen of what is read at once, and what was read until the time was up.
    expect(clock() - before).toBeLessThanOrEqual(TIMELINES * 16 * MS_AN_EVENT + TURN_MS)
    names.push(...page.events.map(({ event }) => (event as unknown as CustomEvent).entityId))
    expect(page.isEnd || page.events.length > 0).toBe(true)
    at = page.reached
    isEnd = page.isEnd
  }
  expect(names).toHaveLength(TIMELINES * EVENTS)
  expect(new Set(names).size).toBe(names.length)
})
