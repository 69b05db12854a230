// Events and pages as JSON. Payloads are JSON already, so they are put in as they are.

import type { Gap } from '../../data/store/gaps.ts'
import type { Entity, TimelineGap } from './types.ts'

export type DescribedEvent = {
  /** The key of the one timeline it is from. */
  timeline: string
  seq: number
  /** Of the event before it in that timeline; undefined where it is the first. */
  before: number | undefined
  receivedAt: number
  entity: Entity
}

export type PageJson = {
  events: readonly DescribedEvent[]
  nextCursor: string | undefined
  prevCursor: string | undefined
  gaps: readonly TimelineGap[]
  skipped: readonly string[]
}

/** Unique among all timelines of this server. */
export function eventId(timeline: string, seq: number): string {
  return `${timeline}/${seq}`
}

export function eventJson({ timeline, seq, before, receivedAt, entity }: DescribedEvent): string {
  const previous = before === undefined ? 'null' : `"${before}"`
  return `{"event_id":${JSON.stringify(eventId(timeline, seq))},"sequence_id":"${seq}","prev_sequence_id":${previous},"timeline_key":${JSON.stringify(timeline)},"entity_id":${JSON.stringify(entity.id)},"entity_type":${JSON.stringify(entity.type)},"payload":${entity.payload},"producer_ts":"${isoOf(entity.producerTs)}","received_at":"${isoOf(receivedAt)}"}`
}

export function pageJson({ events, nextCursor, prevCursor, gaps, skipped }: PageJson): string {
  const rest = JSON.stringify({
    next_cursor: nextCursor ?? null,
    prev_cursor: prevCursor ?? null,
    has_gap: gaps.length > 0,
    gaps: gaps.map(gapFields),
    skipped,
  })
  return `{"events":[${events.map(eventJson).join(',')}],${rest.slice(1)}`
}

export function gapFields(one: TimelineGap): Record<string, unknown> {
  if ('gap' in one) return ofStream(one.kind, one.gap)
  const { kind, from, to, since } = one
  return {
    kind,
    from_sequence_id: String(from),
    to_sequence_id: String(to),
    since: isoOf(since),
  }
}

function ofStream(kind: string, { did, fromUs, toUs, state, foundAt }: Gap) {
  return {
    kind,
    ...(did !== undefined && { did }),
    from_time: isoOf(fromUs / 1_000),
    to_time: isoOf(toUs / 1_000),
    state,
    since: isoOf(foundAt),
  }
}

/** Records may name any time; what no date can show is shown as the nearest that one can. */
export function isoOf(ms: number): string {
  return new Date(Math.max(-8.64e15, Math.min(8.64e15, ms))).toISOString()
}
