// Serialises events and pages as JSON. Payloads are JSON already and are inserted unchanged. Timeline keys
// contain no characters that JSON escapes (timeline-key.ts). The result is byte text, which needs no encoding
// (views/json/ready-json.ts).

import { JsonBuffer, toByteText } from '../../../answers/views/json/ready-json.ts'
import { isoTime } from '../../../base/util/iso-time.ts'
import type { Gap } from '../../../data/store/stream/gaps.ts'
import type { Entity, PlainEntity, TimelineGap, WrittenEntity } from './types.ts'

export type DescribedEvent = {
  /** Unique among the events of all timelines, and the same in each that holds it. */
  id: string
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

/** Of an event that only this timeline holds. */
export function eventIdIn(timeline: string, seq: number): string {
  return `${timeline}/${seq}`
}

/** Byte text. */
export function eventJson(event: DescribedEvent): string {
  const { entity } = event
  const fields = 'fields' in entity ? entity.fields : toByteText(fieldsOf(entity))
  return positionOf(event) + fields + endOf(event)
}

function positionOf({ id, timeline, seq, before }: DescribedEvent): string {
  const previous = before === undefined ? 'null' : `"${before}"`
  return `{"event_id":"${id}","sequence_id":"${seq}","prev_sequence_id":${previous},"timeline_key":"${timeline}",`
}

function endOf({ receivedAt }: DescribedEvent): string {
  return `,"received_at":"${isoTime(receivedAt)}"}`
}

/** For caching: serialises once, into one flat text instead of a rope of its pieces. */
export function writeEntity(entity: PlainEntity): WrittenEntity {
  return { fields: Buffer.from(fieldsOf(entity)).toString('latin1') }
}

/** As it is in an event's JSON. At-URIs have no characters that JSON escapes. */
export function entityIdOf(entity: Entity): string {
  if (!('fields' in entity)) return entity.id
  const start = '"entity_id":"'.length
  return entity.fields.slice(start, entity.fields.indexOf('"', start))
}

function fieldsOf({ id, type, payload, producerTs }: PlainEntity): string {
  return `"entity_id":${JSON.stringify(id)},"entity_type":${JSON.stringify(type)},"payload":${payload},"producer_ts":"${isoTime(producerTs)}"`
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
    buffer.text((i === 0 ? '' : ',') + positionOf(event))
    const { entity } = event
    if ('fields' in entity) buffer.byteText([entity.fields])
    else buffer.text(fieldsOf(entity))
    buffer.text(endOf(event))
  }
  buffer.text(`],${rest.slice(1)}`)
  return buffer.take()
}

export function gapFields(timelineGap: TimelineGap): Record<string, unknown> {
  if ('gap' in timelineGap) return ofStream(timelineGap.kind, timelineGap.gap)
  const { kind, from, to, since } = timelineGap
  return {
    kind,
    from_sequence_id: String(from),
    to_sequence_id: String(to),
    since: isoTime(since),
  }
}

function ofStream(kind: string, { did, fromUs, toUs, state, foundAt }: Gap) {
  return {
    kind,
    ...(did !== undefined && { did }),
    from_time: isoTime(fromUs / 1_000),
    to_time: isoTime(toUs / 1_000),
    state,
    since: isoTime(foundAt),
  }
}
