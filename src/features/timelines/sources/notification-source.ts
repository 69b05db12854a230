// `notifications:<did>`: notifications of a member in order of arrival, without those of accounts in a block with
// the member.

import { recordUri } from '../../../base/atproto/at-uri.ts'
import { type ActorReader, HIDDEN } from '../../../data/graph/types.ts'
import { reasonOf } from '../../../data/store/notifications/notification-reasons.ts'
import type { TakedownReader } from '../../../data/store/read/moderation/takedowns.ts'
import type { ArrivalRange } from '../store/read/arrivals.ts'
import type {
  NotificationArrival,
  NotificationArrivals,
} from '../store/read/notification-arrivals.ts'
import { eventIdIn } from './event-json.ts'
import type { PlainEntity, SourceSlice, TimelineSource } from './types.ts'

const MAX_READS = 20

export function createNotificationSource(parts: {
  key: string
  uid: number
  actors: Pick<ActorReader, 'didOf' | 'flagsOf'>
  notifications: NotificationArrivals
  takedowns: TakedownReader
  /** Tells which of these accounts have a block with the member. */
  blocked: (some: readonly { uid: number }[]) => (uid: number) => boolean
}): TimelineSource<NotificationArrival> {
  const { key, uid, actors, notifications, takedowns, blocked } = parts
  const isHidden = (author: number) => (actors.flagsOf(author) & HIDDEN) !== 0

  function read(range: ArrivalRange): SourceSlice<NotificationArrival> {
    const events: NotificationArrival[] = []
    let reached = range.at
    for (let turn = 0; turn < MAX_READS; turn++) {
      const rows = notifications.read(uid, { ...range, at: reached })
      const isBlocked = blocked(rows.map(({ author }) => ({ uid: author })))
      for (const row of rows) {
        reached = row.seq
        if (isHidden(row.author) || isBlocked(row.author)) continue
        if (events.push(row) === range.limit) return { events, reached, isEnd: false }
      }
      if (rows.length < range.limit) return { events, reached, isEnd: true }
    }
    return { events, reached, isEnd: false }
  }

  return {
    key,
    numbers: 'notifications',
    tip: () => notifications.tip(),
    read,
    before: (seq) => read({ at: seq, isForward: false, limit: 1 }).events[0]?.seq,
    describe: (events) => describeNotifications({ actors, takedowns }, events),
    eventId: (seq) => eventIdIn(key, seq),
    gaps: () => [],
  }
}

/** By number, without records hidden by the operator. */
export function describeNotifications(
  { actors, takedowns }: { actors: Pick<ActorReader, 'didOf'>; takedowns: TakedownReader },
  events: readonly NotificationArrival[],
): Map<number, PlainEntity> {
  const all = events.map((event): [number, PlainEntity] => [
    event.seq,
    notificationEntity(actors, event),
  ])
  return withoutHidden(takedowns, all)
}

export function withoutHidden(
  takedowns: TakedownReader,
  described: [number, PlainEntity][],
): Map<number, PlainEntity> {
  if (!takedowns.isAny()) return new Map(described)
  const hidden = new Set(takedowns.among(described.map(([, { id }]) => id)))
  return new Map(described.filter(([, { id }]) => !hidden.has(id)))
}

function notificationEntity(
  actors: Pick<ActorReader, 'didOf'>,
  { uid, author, reason, collection, rkey, sortAt, subject }: NotificationArrival,
): PlainEntity {
  const actor = actors.didOf(author)
  const about = subject && recordUri(actors.didOf(uid), subject.collection, subject.rkey)
  return {
    id: recordUri(actor, collection, rkey),
    type: reasonOf(reason) ?? 'unknown',
    payload: JSON.stringify({ actor, ...(about !== undefined && { subject: { uri: about } }) }),
    producerTs: sortAt,
  }
}
