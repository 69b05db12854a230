// Selects new notifications to push, their recipients and texts. The rules are those of listing: the member's
// preferences (here for `push`), follows, blocks, mutes and hidden items; and only recent notifications
// count.

import type { Hydrator } from '../../answers/hydrate/hydrator-types.ts'
import { createReader } from '../../answers/hydrate/reader.ts'
import type { Notifications } from '../../answers/skeleton/notifications.ts'
import { isNotificationHidden, notificationView } from '../../answers/views/notification-view.ts'
import { HOUR_MS } from '../../base/util/durations.ts'
import type { ActorReader } from '../../data/graph/types.ts'
import type { Db } from '../../data/store/db.ts'
import {
  type NewNotification,
  notificationsAfter,
  type PushRegistration,
  pushRegistrationsOf,
} from './store/registrations.ts'

export type Push = { to: PushRegistration; did: string; id: number; payload: string }

export type DuePushesParts = {
  db: Db
  actors: Pick<ActorReader, 'didOf'>
  hydrator: Pick<Hydrator, 'notifications'>
  notifications: Pick<Notifications, 'pushed'>
  /** Whether a push names the author and contains text. */
  withText: boolean
  now: () => number
}

/** Per batch; the rest follows with the next one. */
const MOST_AT_ONCE = 200
const NEWS_MS = HOUR_MS
/** Per member and batch; more pushes would not tell a member more. */
const MOST_EACH = 20
const MAX_TEXT = 300

/** @returns the pushes, and the id of the last notification checked. */
export function duePushes(
  parts: DuePushesParts,
  { after, to }: { after: number; to: number },
): { pushes: Push[]; told: number } {
  const rows = notificationsAfter(parts.db, { after, to, limit: MOST_AT_ONCE })
  const byMember = Map.groupBy(rows, ({ uid }) => uid)
  const pushes = [...byMember].flatMap(([uid, news]) => pushesOf(parts, uid, news))
  return { pushes, told: rows.length < MOST_AT_ONCE ? to : rows.at(-1)!.id }
}

function pushesOf(parts: DuePushesParts, uid: number, news: NewNotification[]): Push[] {
  const { db, actors, hydrator, notifications, now } = parts
  const did = actors.didOf(uid)
  const reader = createReader({ uid, did }, { now: now() })
  const fresh = news.filter(({ sortAt }) => sortAt > now() - NEWS_MS)
  const ids = notifications.pushed(uid, fresh).slice(0, MOST_EACH)
  if (ids.length === 0) return []
  const state = hydrator.notifications(ids, reader)
  const devices = pushRegistrationsOf(db, uid)
  return ids.flatMap((id) => {
    const view = isNotificationHidden(state, id)
      ? undefined
      : notificationView(state, id, undefined)
    if (!view) return []
    const payload = JSON.stringify(payloadOf(view, { did, withText: parts.withText }))
    return devices.map((device) => ({ to: device, did, id, payload }))
  })
}

type View = NonNullable<ReturnType<typeof notificationView>>

/** What a device receives; clients fetch the rest. */
function payloadOf(view: View, { did, withText }: { did: string; withText: boolean }) {
  const { reason, uri, reasonSubject: subject, indexedAt, author } = view
  const told = { recipientDid: did, reason, uri, subject, indexedAt }
  if (!withText) return told
  const { text } = view.record as { text?: unknown }
  return {
    ...told,
    author: { did: author.did, handle: author.handle, displayName: author.displayName },
    text: typeof text === 'string' ? [...text].slice(0, MAX_TEXT).join('') : undefined,
  }
}
