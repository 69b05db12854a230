// Notifications: pages, the time up to which they were seen, and preferences.

import { createReader } from '../../../answers/hydrate/reader.ts'
import { createNotifications } from '../../../answers/skeleton/notifications.ts'
import { unreadCount } from '../../../answers/views/unread-count.ts'
import { recordUri } from '../../../base/atproto/at-uri.ts'
import { collectionCodes, collections } from '../../../base/atproto/collections.ts'
import { settingsOf } from '../../../base/config/every-setting.ts'
import { MEMBER } from '../../../data/graph/types.ts'
import {
  type NotificationPreferences,
  readPreferences,
} from '../../../data/store/notifications/notification-preferences.ts'
import { reasonOf } from '../../../data/store/notifications/notification-reasons.ts'
import { storedPreferences } from '../../../data/store/notifications/notification-settings.ts'
import { subjectCollectionOf } from '../../../data/store/notifications/notification-subjects.ts'
import {
  type NotificationRow,
  prepareNotifications,
} from '../../../data/store/read/notifications.ts'
import { NotificationInclude, NotificationPreferencesSchema } from '../generated/bsky-pb.ts'
import type { Reading } from '../reading/reading.ts'
import { dataplaneSettings } from '../settings.ts'
import { answerOf, type EncodedRpcs, encode } from '../wire/encoded.ts'
import { bounded, cursorOf, pageSize, type Rpcs, timestamp } from '../wire/messages.ts'
import { didOf } from './mutes.ts'

const collectionNames = new Map(collections.map((name) => [collectionCodes[name] as number, name]))

export function notificationRpcs(reading: Reading): Rpcs {
  const { db, actors, config, graph, hydrator, writer } = reading
  const labelers = { dids: config.labelers, redact: new Set(config.labelers) }
  const notifications = createNotifications({ db, graph, countsEarlier: true })
  const rowsOf = prepareNotifications(db)
  return {
    getNotifications({ actorDid, limit, cursor, priority }) {
      seeReader(reading, actorDid)
      const viewer = actors.uidOf(actorDid)
      if (viewer === 0) return {}
      const page = notifications.page({
        viewer,
        priority,
        limit: pageSize(limit),
        cursor: positionOf(cursor),
      })
      const rows = new Map(rowsOf(page.items).map((row) => [row.id, row]))
      return {
        notifications: page.items.flatMap((id) => {
          const row = rows.get(id)
          return row ? [toNotification(reading, row, actorDid)] : []
        }),
        cursor: page.cursor,
      }
    },

    getNotificationSeen({ actorDid }) {
      const { seenAt } = notifications.settings(actors.uidOf(actorDid))
      return seenAt === undefined ? {} : { timestamp: timestamp(seenAt) }
    },

    getUnreadNotificationCount({ actorDid }) {
      seeReader(reading, actorDid)
      const uid = actors.uidOf(actorDid)
      if (uid === 0) return {}
      // The frontend passes the number on as it is, and hides what its user blocks, mutes or hid in the list.
      const reader = createReader({ uid, did: actorDid }, { labelers })
      return { count: unreadCount(hydrator, notifications.unseen(uid), reader) }
    },

    async updateNotificationSeen({ actorDid, timestamp: seen }) {
      const did = didOf(actorDid)
      if (seen) await writer.send({ kind: 'notifications-seen', did, seenAt: msOf(seen) })
      return {}
    },
  }
}

/**
 * GetNotificationPreferences, with encoded answers. Nearly all accounts have the same preferences.
 */
export function preferenceRpcs({ db, actors }: Reading): EncodedRpcs {
  return {
    getNotificationPreferences({ dids }) {
      const uids = bounded(dids).map((did) => actors.uidOf(did))
      const stored = storedPreferences(db, new Set(uids))
      const encoded = new Map<string | null, Uint8Array>()
      return answerOf({
        1: uids.map((uid) => {
          const text = stored.get(uid) ?? null
          const known = encoded.get(text)
          if (known) return known
          const preferences = toPreferences(readPreferences(text))
          const bytes = encode(NotificationPreferencesSchema, preferences)
          encoded.set(text, bytes)
          return bytes
        }),
      })
    },
  }
}

/** Makes the reader a member, unless notifications are collected for all accounts anyway. */
function seeReader({ actors, config, onViewer }: Reading, did: string): void {
  const isMember = (actors.flagsOf(actors.uidOf(did)) & MEMBER) !== 0
  const { dataplaneNotificationDays: days } = settingsOf(config, dataplaneSettings)
  if (isMember || days === 0) onViewer(did)
}

/**
 * The frontend starts a page at a time that it writes as the reference's cursor, and leaves later
 * notifications for afterwards.
 */
function positionOf(cursor: string): string | undefined {
  const ms = /^\d{4}-/.test(cursor) ? Date.parse(cursor) : NaN
  return Number.isNaN(ms) ? cursorOf(cursor) : `${ms + 1}__1`
}

export function msOf({ seconds, nanos }: { seconds: bigint; nanos: number }): number {
  return Number(seconds) * 1_000 + Math.floor(nanos / 1e6)
}

function toNotification({ actors, graph }: Reading, row: NotificationRow, recipientDid: string) {
  const { author, rkey, subjectCollection, subjectRkey } = row
  const collection = collectionNames.get(row.collection) ?? ''
  const about = subjectCollection === null ? undefined : subjectCollectionOf(subjectCollection)
  return {
    recipientDid,
    uri: recordUri(actors.didOf(author), collection, rkey),
    reason: reasonOf(row.reason) ?? '',
    reasonSubject: about && subjectRkey !== null ? recordUri(recipientDid, about, subjectRkey) : '',
    timestamp: timestamp(row.sortAt),
    priority: graph.has(actors.uidOf(recipientDid), author),
  }
}

function toPreferences(preferences: NotificationPreferences) {
  const { chat: _chat, ...notified } = preferences
  const entries = Object.entries(notified).map(([name, preference]) => {
    const { list, push } = preference
    const ways = { list: { enabled: list }, push: { enabled: push } }
    if (!('include' in preference)) return [name, ways]
    const { ALL, FOLLOWS } = NotificationInclude
    return [name, { ...ways, include: preference.include === 'follows' ? FOLLOWS : ALL }]
  })
  return { ...Object.fromEntries(entries), entry: Buffer.from(JSON.stringify(preferences)) }
}
