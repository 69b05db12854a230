// Serialises events and pages as JSON. Payloads are JSON already and are inserted unchanged. Timeline keys
// contain no characters that JSON escapes (timeline-key.ts). The result is byte text, which needs no encoding
// (views/ready-json.ts).

import { DAY_MS } from '../../base/util/durations.ts'
import { LruMap } from '../../base/util/lru.ts'
import type { Gap } from '../../data/store/gaps.ts'
import { JsonBuffer } from '../views/json-buffer.ts'
import { toByteText } from '../views/ready-json.ts'
import type { Entity, TimelineGap } from './types.ts'

export type DescribedEvent = {
  /** Key of the single timeline that the event is from. */
  timeline: string
  seq: number
  /** Number of the previous event in that timeline; undefined for the first. */
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

/** Unique across all timelines of this server. */
export function eventId(timeline: string, seq: number): string {
  return `${timeline}/${seq}`
}

/** Byte text. */
export function eventJson(event: DescribedEvent): string {
  return placeOf(event) + (event.entity.fields ?? toByteText(fieldsOf(event.entity))) + endOf(event)
}

function placeOf({ timeline, seq, before }: DescribedEvent): string {
  const previous = before === undefined ? 'null' : `"${before}"`
  return `{"event_id":"${eventId(timeline, seq)}","sequence_id":"${seq}","prev_sequence_id":${previous},"timeline_key":"${timeline}",`
}

function endOf({ receivedAt }: DescribedEvent): string {
  return `,"received_at":"${isoOf(receivedAt)}"}`
}

/** For caching: serialises once, into one flat text instead of a rope of its pieces. */
export function withFields(entity: Entity): Entity {
  return { ...entity, fields: Buffer.from(fieldsOf(entity)).toString('latin1') }
}

function fieldsOf({ id, type, payload, producerTs }: Entity): string {
  return `"entity_id":${JSON.stringify(id)},"entity_type":${JSON.stringify(type)},"payload":${payload},"producer_ts":"${isoOf(producerTs)}"`
}

/**
 * Events are long: a page assembled as text would be copied into one flat text first, only to be
 * discarded.
 */
const buffer = new JsonBuffer()

export function pageBytes({ events, nextCursor, prevCursor, gaps, skipped }: PageJson): Buffer {
  const rest = JSON.stringify({
    next_cursor: nextCursor ?? null,
    prev_cursor: prevCursor ?? null,
    has_gap: gaps.length > 0,
    gaps: gaps.map(gapFields),
    skipped,
  })
  buffer.clear()
  buffer.text('{"events":[')
  for (const [i, event] of events.entries()) {
    buffer.text((i === 0 ? '' : ',') + placeOf(event))
    const { fields } = event.entity
    if (fields === undefined) buffer.text(fieldsOf(event.entity))
    else buffer.byteText(fields)
    buffer.text(endOf(event))
  }
  buffer.text(`],${rest.slice(1)}`)
  return buffer.take()
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

const FIRST_YEAR_0 = -62_167_219_200_000
const END_OF_9999 = 253_402_300_800_000

/** Records may contain any time; times outside a Date's range become the nearest valid one. */
export function isoOf(ms: number): string {
  const isUsual = ms >= FIRST_YEAR_0 && ms < END_OF_9999 && Number.isInteger(ms)
  if (!isUsual) return new Date(Math.max(-8.64e15, Math.min(8.64e15, ms))).toISOString()
  const day = Math.floor(ms / DAY_MS)
  const rest = ms - day * DAY_MS
  const seconds = Math.floor(rest / 1_000)
  const minutes = Math.floor(seconds / 60)
  return `${dateOf(day)}T${two(Math.floor(minutes / 60))}:${two(minutes % 60)}:${two(seconds % 60)}.${three(rest % 1_000)}Z`
}

const dates = new LruMap<number, string>(512)

/** A page's events span few days, and a Date costs ten times as much as the rest. */
function dateOf(day: number): string {
  const known = dates.get(day)
  if (known) return known
  const text = new Date(day * DAY_MS).toISOString().slice(0, 10)
  dates.set(day, text)
  return text
}

function two(number: number): string {
  return number < 10 ? `0${number}` : `${number}`
}

function three(number: number): string {
  return number < 100 ? `0${two(number)}` : `${number}`
}
