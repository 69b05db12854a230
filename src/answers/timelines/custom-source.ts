// `custom:<name>`: events posted by programs. Numbers that a producer skipped are waited for, and then passed
// over; the page reports such gaps, pending or passed over. A timeline that nobody has posted to yet is empty.

import type {
  CustomEvent,
  CustomTimelines,
  Hole,
} from '../../data/store/read/timelines/custom-timelines.ts'
import { eventIdIn } from './event-json.ts'
import type { Entity, TimelineGap, TimelineSource } from './types.ts'

/** No timeline has this id. */
const NONE = 0

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
    read(range) {
      const events = timelines.read(id(), range).map((one) => ({ ...one, at: one.receivedAt }))
      const isEnd = events.length < range.limit
      return { events, reached: events.at(-1)?.seq ?? range.at, isEnd }
    },
    before: (seq) => timelines.read(id(), { at: seq, isForward: false, limit: 1 })[0]?.seq,
    describe: (events) => new Map(events.map((one) => [one.seq, customEntity(one)] as const)),
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

export function customEntity(event: CustomEvent): Entity {
  const { entityId, entityType, payload, producerTs } = event
  return { id: entityId, type: entityType, payload, producerTs }
}

function toGap({ from, to, since, isOpen }: Hole): TimelineGap {
  return { kind: isOpen ? 'awaited' : 'skipped', from, to, since }
}
