// Notifies members, or all accounts if the operator wants it, of others' records; every notification goes
// through `tell`. The collections' files call it inside their transaction, so that a notification appears and
// goes with its record, and a replayed event notifies once. Blocks and mutes are checked when notifications
// are read, since they change; conditions that suppress a notification for ever (a muted thread) are checked
// in `tell`, which knows the post concerned.

import { packRkey } from '../../../base/atproto/keys.ts'
import { MINUTE_MS } from '../../../base/util/durations.ts'
import { asObject, type JsonObject } from '../../../base/util/json-object.ts'
import type { NotificationReason } from '../../../data/store/notifications/notification-reasons.ts'
import {
  deleteNotificationsOf,
  insertNotification,
  type NotificationRow,
  type NotifyingRecord,
} from '../../../data/store/notifications/notifications.ts'
import { perDatabase } from '../../../data/store/per-database.ts'
import { isFollowing } from '../../../data/store/records/follows.ts'
import { fetchPerson } from '../fetch-missing.ts'
import {
  type IndexContext,
  isMember,
  type RecordRemoval,
  type RecordWrite,
  sortAtOf,
} from '../index-context.ts'
import { parseRecordUri } from '../records/record-fields.ts'
import { briefJson } from '../records/stored-json.ts'
import { isAboutMutedThread } from './muted-threads.ts'

type Occasion = {
  to: number
  reason: NotificationReason
  record: NotifyingRecord
  sortAt: number
  /** A record of the notified account. */
  subject?: NotificationRow['subject']
}

export const LIKE = 'app.bsky.feed.like'
export const POST = 'app.bsky.feed.post'
export const PROFILE = 'app.bsky.actor.profile'
export const REPOST = 'app.bsky.feed.repost'
export const FOLLOW = 'app.bsky.graph.follow'

/**
 * Accounts fetched per member so that they can be shown; further ones are fetched when they are
 * shown.
 */
const MAX_PEOPLE_A_MINUTE = 60

/** Notifications of non-members by these store no record: readers look it up by its key. */
const REBUILT: ReadonlySet<string> = new Set([LIKE, REPOST, FOLLOW])

const fetched = perDatabase(() => new Map<number, { minute: number; people: number }>())

export function notify(ctx: IndexContext, occasion: Occasion): void {
  const { to, record, sortAt } = occasion
  if (!isNotified(ctx, to, record.author, sortAt)) return
  if (isMember(ctx, to) || !REBUILT.has(record.collection)) return tell(ctx, occasion)
  tell(ctx, { ...occasion, record: { ...record, cid: undefined, json: undefined } })
}

/** Also notifies an account about to become a member; never the author itself. */
export function tell(ctx: IndexContext, occasion: Occasion): void {
  const { to, reason, record, sortAt, subject } = occasion
  if (to === record.author || isAboutMutedThread(ctx, to, subject)) return
  const isOneOfMany = ctx.othersNotifiedMs > 0 && !isMember(ctx, to)
  insertNotification(ctx.db, { uid: to, sortAt, reason, record, subject }, isOneOfMany)
  if (!isOneOfMany) fetchNotifier(ctx, to, record.author)
}

/** @param sortAt - non-members get no notifications that are too old to be kept */
export function isNotified(
  ctx: IndexContext,
  to: number,
  author: number,
  sortAt = ctx.now,
): boolean {
  if (to === author || !hasNotifications(ctx, to)) return false
  return isMember(ctx, to) || sortAt >= ctx.now - ctx.othersNotifiedMs
}

/** Whether notifications are collected for this account. */
export function hasNotifications(ctx: IndexContext, uid: number): boolean {
  return isMember(ctx, uid) || (uid !== 0 && ctx.othersNotifiedMs > 0)
}

/**
 * Removes the notifications of a record that is gone or replaced under its key.
 * @returns whether it had notified any account
 */
export function withdrawNotifications(
  { db }: IndexContext,
  { uid, collection, rkey }: Pick<RecordRemoval, 'uid' | 'collection' | 'rkey'>,
): boolean {
  return deleteNotificationsOf(db, { author: uid, collection, rkey })
}

/** Notifies of the first like or repost of this post by its creator. */
export function notifyOfReaction(
  ctx: IndexContext,
  write: RecordWrite,
  { uid, owner, rkey }: { uid: number; owner: number; rkey: string },
): void {
  // As in the reference, liking one's own post via another account's repost notifies no account.
  if (owner === uid) return
  const via = viaOf(ctx, write.record)
  if (!hasNotifications(ctx, owner) && !via) return
  const act = { record: notifyingRecord(write, uid), sortAt: sortAtOf(write) }
  const isLike = write.collection === LIKE
  const post = { collection: POST, rkey: packRkey(rkey) } as const
  notify(ctx, { ...act, to: owner, reason: isLike ? 'like' : 'repost', subject: post })
  if (!via) return
  const repost = { collection: REPOST, rkey: packRkey(via.rkey) } as const
  const reason = isLike ? 'like-via-repost' : 'repost-via-repost'
  notify(ctx, { ...act, to: via.uid, reason, subject: repost })
}

/** Notifies of the first like of a feed, a starter pack or a labeler by its creator. */
export function notifyOfRecordLike(
  ctx: IndexContext,
  write: RecordWrite,
  { uid, owner, subject }: { uid: number; owner: number; subject: Occasion['subject'] },
): void {
  const act = { record: notifyingRecord(write, uid), sortAt: sortAtOf(write) }
  notify(ctx, { ...act, to: owner, reason: 'like', subject })
}

/** The repost it was made through, if that repost's creator can be notified. */
function viaOf(ctx: IndexContext, { via }: JsonObject): { uid: number; rkey: string } | undefined {
  const ref = via === undefined ? undefined : parseRecordUri(asObject(via)?.['uri'], REPOST)
  const uid = ref ? ctx.actors.uidOf(ref.did) : 0
  return ref && hasNotifications(ctx, uid) ? { uid, rkey: ref.rkey } : undefined
}

/**
 * Called before the follow has its row; does nothing if another record already makes the same
 * follow.
 */
export function notifyOfFollow(
  ctx: IndexContext,
  write: RecordWrite,
  { uid, subject }: { uid: number; subject: number },
): void {
  if (!isNotified(ctx, subject, uid) || isFollowing(ctx.db, uid, subject)) return
  const record = notifyingRecord(write, uid)
  notify(ctx, { to: subject, reason: 'follow', record, sortAt: sortAtOf(write) })
}

/** A record whose JSON is kept with the notification. */
function notifyingRecord(write: RecordWrite, author: number): NotifyingRecord {
  const { collection, rkey, cid } = write
  return { author, collection, rkey, cid, json: briefJson(write) }
}

function fetchNotifier(ctx: IndexContext, to: number, author: number): void {
  const known = fetched(ctx.db)
  const minute = Math.floor(ctx.now / MINUTE_MS)
  const last = known.get(to)
  const people = last?.minute === minute ? last.people + 1 : 1
  known.set(to, { minute, people })
  if (people <= MAX_PEOPLE_A_MINUTE) fetchPerson(ctx, author)
}
