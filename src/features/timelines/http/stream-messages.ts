import { byteText } from '../../../answers/views/json/ready-json.ts'
import { eventJson, gapFields } from '../sources/event-json.ts'
import type { TimelineGap } from '../sources/types.ts'
import type { DeletedEvent, NewEvent } from './live-feed.ts'
import type { Topic } from './live-topic.ts'

/** Strings are byte text. */
export type Chunk = { seq: number; at: number; notice: string; data: string }

/** Serialises the events once for all listeners. */
export function chunksOf(
  topic: Topic,
  events: readonly NewEvent[],
  gaps: readonly TimelineGap[],
): Chunk[] {
  let before = topic.latest
  return events.map((event) => {
    const described = { ...event, timeline: topic.key.text, before }
    before = event.seq
    const notice = noticesBefore(gaps, described)
    const data = dataOf(eventJson(described))
    return { seq: event.seq, at: event.receivedAt, notice, data }
  })
}

/**
 * Notices of numbers skipped between an event and its predecessor. They have no ids of their own.
 */
export function noticesBefore(
  gaps: readonly TimelineGap[],
  { seq, before = 0 }: { seq: number; before: number | undefined },
): string {
  return gaps
    .filter((gap) => 'to' in gap && gap.to < seq && gap.from > before)
    .map((gap) => `event: gap\ndata: ${byteText(gapFields(gap))}\n\n`)
    .join('')
}

/** Without an id: a reader that connects again is not told once more. */
export function noticeOfDeleted({ key }: Topic, { id, seq, entityId }: DeletedEvent): string {
  const fields = {
    event_id: id,
    sequence_id: String(seq),
    timeline_key: key.text,
    entity_id: entityId,
  }
  return `event: deleted\ndata: ${byteText(fields)}\n\n`
}

/** Serialised JSON contains no line breaks. */
export function dataOf(json: string): string {
  return `data: ${json}\n\n`
}
