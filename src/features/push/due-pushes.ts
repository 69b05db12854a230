// Selects new notifications to push, their recipients and texts. The rules are those of listing: the member's
// preferences (here for `push`), follows, blocks, mutes and hidden items; only recent notifications count; a
// group of them is one push; of too many in a minute, one push tells the number; and in quiet hours there is none.

import type { Hydrator } from '../../answers/hydrate/hydrator-types.ts'
import { createReader } from '../../answers/hydrate/reader.ts'
import type { Notifications } from '../../answers/skeleton/notifications.ts'
import { isNotificationHidden, notificationView } from '../../answers/views/notification-view.ts'
import { HOUR_MS } from '../../base/util/durations.ts'
import type { ActorReader } from '../../data/graph/types.ts'
import type { Db } from '../../data/store/db.ts'
import type { HeldBack } from './held-back.ts'
import type { Pace } from './pace.ts'
import { groupOf, type PushGroups } from './push-groups.ts'
import { isQuiet } from './quiet-hours.ts'
import { findQuietHours } from './store/quiet-hours.ts'
import {
  type NewNotification,
  notificationsAfter,
  type PushRegistration,
  pushRegistrationsOf,
} from './store/registrations.ts'

export type Push = {
  to: PushRegistration
  did: string
  payload: string
  /** A push service replaces one that a device has not received by the next one of its group. */
  group: string
}

export type DuePushesContext = {
  db: Db
  actors: Pick<ActorReader, 'didOf'>
  hydrator: Pick<Hydrator, 'notifications'>
  notifications: Pick<Notifications, 'pushed' | 'settings' | 'unseenCount'>
  /** Whether a push names the author and contains text. */
  withText: boolean
  now: () => number
}

type Dependencies = DuePushesContext & {
  groups: PushGroups
  pace: Pace
  /** In quiet hours. */
  heldBack: HeldBack
  /** Beyond the pace. */
  tooMany: HeldBack
}

/** Per batch; the rest follows with the next one. */
const MOST_AT_ONCE = 200
const NEWS_MS = HOUR_MS
/** Per member and batch; more pushes would not tell a member more. */
const MOST_EACH = 20
const MAX_TEXT = 300
/** Reasons of pushes that only say how many notifications there were. */
const AFTER_QUIET_HOURS = 'after-quiet-hours'
const MORE = 'more'

/** Accounts that may be pushed to now, by what this node knows of them. */
export function membersDue(parts: Dependencies, range: { after: number; to: number }): string[] {
  const { db, actors, heldBack, tooMany } = parts
  const news = notificationsAfter(db, { ...range, limit: MOST_AT_ONCE }).map(({ uid }) => uid)
  const waiting = [...heldBack.members(), ...tooMany.members()]
  const over = waiting.filter((uid) => !isMemberQuiet(parts, uid))
  return [...new Set([...news, ...over])].map((uid) => actors.didOf(uid))
}

/** @returns the pushes, and the id of the last notification checked. */
export function duePushes(
  parts: Dependencies,
  { after, to }: { after: number; to: number },
): { pushes: Push[]; told: number } {
  const rows = notificationsAfter(parts.db, { after, to, limit: MOST_AT_ONCE })
  const byMember = Map.groupBy(rows, ({ uid }) => uid)
  const pushes = [...byMember].flatMap(([uid, news]) => pushesOf(parts, uid, news))
  return { pushes, told: rows.length < MOST_AT_ONCE ? to : rows.at(-1)!.id }
}

/** One push for each member who has waited long enough for what was held back, if they have not looked since. */
export function laterPushes(parts: Dependencies): Push[] {
  const { heldBack, tooMany, pace } = parts
  const now = parts.now()
  const inTime = tooMany.ended((uid) => pace.isFull(uid, now))
  const loud = inTime.filter(({ uid }) => !isMemberQuiet(parts, uid))
  for (const item of inTime) if (!loud.includes(item)) heldBack.add(item.uid, item.count)
  const over = heldBack.ended((uid) => isMemberQuiet(parts, uid))
  return [
    ...over.flatMap((item) => summaryOf(parts, item, AFTER_QUIET_HOURS)),
    ...loud.flatMap((item) => summaryOf(parts, item, MORE)),
  ]
}

function summaryOf(
  { db, actors, notifications, pace, now }: Dependencies,
  { uid, count }: { uid: number; count: number },
  reason: string,
): Push[] {
  if (notifications.unseenCount(uid) === 0) return []
  pace.take(uid, now())
  const did = actors.didOf(uid)
  const payload = JSON.stringify({ recipientDid: did, reason, count })
  return pushRegistrationsOf(db, uid).map((to) => ({ to, did, payload, group: reason }))
}

function isMemberQuiet({ db, now }: Pick<Dependencies, 'db' | 'now'>, uid: number): boolean {
  const hours = findQuietHours(db, uid)
  return hours !== undefined && isQuiet(hours, now())
}

function pushesOf(parts: Dependencies, uid: number, news: NewNotification[]): Push[] {
  const { db, actors, now, withText } = parts
  const did = actors.didOf(uid)
  const views = visibleViews(parts, { uid, did }, news)
  if (views.length === 0) return []
  if (isMemberQuiet(parts, uid)) {
    parts.heldBack.add(uid, views.length)
    return []
  }
  const at = { now: now(), seenAt: parts.notifications.settings(uid).seenAt ?? 0 }
  const devices = pushRegistrationsOf(db, uid)
  return [...Map.groupBy(views, groupOf)].flatMap(([group, [...some]]) => {
    if (!parts.groups.begins(uid, group, at)) return []
    if (!parts.pace.take(uid, at.now)) {
      parts.tooMany.add(uid, some.length)
      return []
    }
    const payload = JSON.stringify(payloadOf(some, { did, withText }))
    return devices.map((to) => ({ to, did, payload, group }))
  })
}

/** Those that the member wants to be pushed, and would see in the list. */
function visibleViews(
  { hydrator, notifications, now }: Dependencies,
  { uid, did }: { uid: number; did: string },
  news: NewNotification[],
): View[] {
  const fresh = news.filter(({ sortAt }) => sortAt > now() - NEWS_MS)
  const ids = notifications.pushed(uid, fresh).slice(0, MOST_EACH)
  if (ids.length === 0) return []
  const state = hydrator.notifications(ids, createReader({ uid, did }, { now: now() }))
  return ids.flatMap((id) => {
    if (isNotificationHidden(state, id)) return []
    return notificationView(state, id, undefined) ?? []
  })
}

type View = NonNullable<ReturnType<typeof notificationView>>

/** What a device receives of a group, newest last; clients fetch the rest. */
function payloadOf(views: readonly View[], { did, withText }: { did: string; withText: boolean }) {
  const view = views.at(-1)!
  const { reason, uri, reasonSubject: subject, indexedAt, author } = view
  const count = views.length > 1 ? views.length : undefined
  const notified = { recipientDid: did, reason, uri, subject, indexedAt, count }
  if (!withText) return notified
  const { text } = view.record as { text?: unknown }
  return {
    ...notified,
    author: { did: author.did, handle: author.handle, displayName: author.displayName },
    text: typeof text === 'string' ? [...text].slice(0, MAX_TEXT).join('') : undefined,
  }
}
