// Reads a member's document from a database.

import { recordUri } from '../../../base/atproto/at-uri.ts'
import { isoTime } from '../../../base/util/iso-time.ts'
import type { Db } from '../../../data/store/db.ts'
import { readPreferences } from '../../../data/store/notifications/notification-preferences.ts'
import { findNotificationSettings } from '../../../data/store/notifications/notification-settings.ts'
import { findPostById } from '../../../data/store/posts/posts.ts'
import { activitySubscriptionsBy } from '../../../data/store/private/activity-subscriptions.ts'
import { bookmarksOf } from '../../../data/store/private/bookmarks.ts'
import { draftsOf } from '../../../data/store/private/drafts.ts'
import { listMutesOf } from '../../../data/store/private/list-mutes.ts'
import { mutesOf, ONLY_QUOTE_POSTS, ONLY_REPOSTS } from '../../../data/store/private/mutes.ts'
import { findActorPreferences } from '../../../data/store/private/preferences.ts'
import { threadMutesOf } from '../../../data/store/private/thread-mutes.ts'
import { findActor, uidOfDid } from '../../../data/store/records/actors.ts'
import { findListKey } from '../../../data/store/records/lists.ts'
import { atOneMoment } from '../../../data/store/transact.ts'
import { emptyState, type MemberState } from './document.ts'

/** @throws Error if no account with this DID is known. */
export function readState(db: Db, did: string): MemberState {
  const uid = uidOfDid(db, did)
  if (uid === undefined) throw new Error(`${did} is not known here`)
  return readStateOf(db, { did, uid })
}

/** The same for an account whose number is known. */
export function readStateOf(db: Db, { did, uid }: { did: string; uid: number }): MemberState {
  return atOneMoment(db, () => ({
    ...emptyState(did),
    mutes: mutesOf(db, uid).map(({ subject, scope, createdAt }) => ({
      did: didOf(db, subject),
      ...(scope & ONLY_REPOSTS && { onlyReposts: true }),
      ...(scope & ONLY_QUOTE_POSTS && { onlyQuoteposts: true }),
      createdAt: isoTime(createdAt),
    })),
    listMutes: listMutesOf(db, uid).map(({ list, createdAt }) => ({
      list: uriOf(db, 'app.bsky.graph.list', findListKey(db, list)!),
      createdAt: isoTime(createdAt),
    })),
    threadMutes: threadMutesOf(db, uid).map(({ root, createdAt }) => ({
      root: postUri(db, root),
      createdAt: isoTime(createdAt),
    })),
    bookmarks: bookmarksOf(db, uid).map(({ post, cid, createdAt }) => ({
      uri: postUri(db, post),
      cid,
      createdAt: isoTime(createdAt),
    })),
    drafts: draftsOf(db, uid).map(({ id, draft, createdAt, updatedAt }) => ({
      id,
      draft: JSON.parse(draft),
      createdAt: isoTime(createdAt),
      updatedAt: isoTime(updatedAt),
    })),
    activitySubscriptions: activitySubscriptionsBy(db, uid).map((one) => ({
      did: didOf(db, one.subject),
      post: one.post === 1,
      reply: one.reply === 1,
      createdAt: isoTime(one.created_at),
    })),
    notifications: notificationsOf(db, uid),
    ...preferencesOf(db, uid),
  }))()
}

function notificationsOf(db: Db, uid: number): MemberState['notifications'] {
  const settings = findNotificationSettings(db, uid)
  if (!settings) return {}
  const { preferences, priority, seen_at } = settings
  return {
    ...(preferences !== null && { preferences: readPreferences(preferences) }),
    priority: priority === 1,
    ...(seen_at !== null && { seenAt: isoTime(seen_at) }),
  }
}

function preferencesOf(db: Db, uid: number): Pick<MemberState, 'preferences'> {
  const json = findActorPreferences(db, uid)
  return json === undefined ? {} : { preferences: JSON.parse(json) }
}

function postUri(db: Db, id: number): string {
  return uriOf(db, 'app.bsky.feed.post', findPostById(db, id)!)
}

type Key = { uid: number; rkey: Parameters<typeof recordUri>[2] }

function uriOf(db: Db, collection: string, { uid, rkey }: Key): string {
  return recordUri(didOf(db, uid), collection, rkey)
}

function didOf(db: Db, uid: number): string {
  return findActor(db, uid)!.did
}
