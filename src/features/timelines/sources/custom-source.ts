// `custom:<name>`: events posted by programs. Numbers that a producer skipped are waited for, and then passed
// over; the page reports such gaps, pending or passed over. A timeline that nobody has posted to yet is empty.

import { isTimeUp } from '../../../base/util/turn.ts'
import type { ArrivalRange } from '../store/read/arrivals.ts'
import type { CustomEvent, CustomTimelines, Hole } from '../store/read/custom-timelines.ts'
import { eventIdIn } from './event-json.ts'
import type { Entity, SourceSlice, TimelineGap, TimelineSource } from './types.ts'

/** No timeline has this id. */
const NONE = 0
/** Of at most 20 kB each. */
const AT_ONCE = 16

type Arrival = CustomEvent & { at: number }

export function createCustomSource(parts: {
  key: string
  name: string
  timelines: CustomTimelines
}): TimelineSource<Arrival> {
  const { key, name, timelines } = parts
  let known: number | undefined
  const id = () => {
    known ??= timelines.find(name)?.id
    return known ?? NONE
  }
  return {
    key,
    numbers: key,
    tip: () => timelines.visible(id()),
    read: (range) => readInTime(timelines, id(), range),
    before: (seq) => timelines.read(id(), { at: seq, isForward: false, limit: 1 })[0]?.seq,
    describe: (events) => new Map(events.map((event) => [event.seq, customEntity(event)] as const)),
    eventId: (seq) => eventIdIn(key, seq),
    gaps(events, isTip) {
      const numbers = events.map(({ seq }) => seq)
      const first = Math.min(...numbers, timelines.visible(id()) + 1)
      const before = timelines.read(id(), { at: first, isForward: false, limit: 1 })[0]?.seq ?? 0
      const last = isTip ? Number.MAX_SAFE_INTEGER : Math.max(...numbers, 0)
      return timelines.holes(id(), before + 1, last).map(toGap)
    },
  }
}

/** Fewer than wanted if their payloads are so large that the time is up: a merge has sixteen of them. */
function readInTime(
  timelines: CustomTimelines,
  id: number,
  { at, isForward, limit }: ArrivalRange,
): SourceSlice<Arrival> {
  const events: Arrival[] = []
  let reached = at
  while (events.length < limit) {
    const most = Math.min(AT_ONCE, limit - events.length)
    const found = timelines.read(id, { at: reached, isForward, limit: most })
    for (const customEvent of found) events.push({ ...customEvent, at: customEvent.receivedAt })
    reached = found.at(-1)?.seq ?? reached
    if (found.length < most) return { events, reached, isEnd: true }
    if (isTimeUp()) break
  }
  return { events, reached, isEnd: false }
}

export function customEntity(event: CustomEvent): Entity {
  const { entityId, entityType, payload, producerTs } = event
  return { id: entityId, type: entityType, payload, producerTs }
}

function toGap({ from, to, since, isOpen }: Hole): TimelineGap {
  return { kind: isOpen ? 'awaited' : 'skipped', from, to, since }
}
