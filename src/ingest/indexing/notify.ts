// Tells members, or everybody where the operator wants it, what others' records mean for them: the one door that
// every notification goes through, `tell`. Called by the files of the collections inside their transaction, so
// that a notification comes and goes with its record, and what is replayed is told once. Blocks and mutes are asked
// when notifications are read, since they come and go; what is to keep one from ever being written (a muted
// thread) is asked in `tell`, which knows the post that it is about.

import { packRkey } from '../../base/atproto/keys.ts'
import type { JsonObject } from '../../base/event.ts'
import { MINUTE_MS } from '../../base/util/durations.ts'
import { asObject } from '../../base/util/json-object.ts'
import { isFollowing } from '../../data/store/follows.ts'
import type { NotificationReason } from '../../data/store/notification-reasons.ts'
import {
  deleteNotificationsOf,
  insertNotification,
  type NotificationRow,
  type NotifyingRecord,
} from '../../data/store/notifications.ts'
import { perDatabase } from '../../data/store/per-database.ts'
import { fetchPerson } from './fetch-missing.ts'
import {
  type IndexContext,
  isMember,
  type RecordRemoval,
  type RecordWrite,
  sortAtOf,
} from './index-context.ts'
import { toldJson } from './kept-json.ts'
import { isAboutMutedThread } from './muted-threads.ts'
import { parseRecordUri } from './record-keys.ts'

type Occasion = {
  to: number
  reason: NotificationReason
  record: NotifyingRecord
  sortAt: number
  /** A record of the one who is told. */
  subject?: NotificationRow['subject']
}

export const LIKE = 'app.bsky.feed.like'
export const POST = 'app.bsky.feed.post'
export const PROFILE = 'app.bsky.actor.profile'
export const REPOST = 'app.bsky.feed.repost'
export const FOLLOW = 'app.bsky.graph.follow'

/** People who are fetched so that they can be shown, for each member; others when they are shown. */
const MAX_PEOPLE_A_MINUTE = 60

/** Of these, what others than members are told keeps no record: whoever asks reads it by its key. */
const REBUILT: ReadonlySet<string> = new Set([LIKE, REPOST, FOLLOW])

const fetched = perDatabase(() => new Map<number, { minute: number; people: number }>())

export function notify(ctx: IndexContext, occasion: Occasion): void {
  const { to, record, sortAt } = occasion
  if (!isTold(ctx, to, record.author, sortAt)) return
  if (isMember(ctx, to) || !REBUILT.has(record.collection)) return tell(ctx, occasion)
  tell(ctx, { ...occasion, record: { ...record, cid: undefined, json: undefined } })
}

/** Also one who is about to become a member; not oneself. */
export function tell(ctx: IndexContext, occasion: Occasion): void {
  const { to, reason, record, sortAt, subject } = occasion
  if (to === record.author || isAboutMutedThread(ctx, to, subject)) return
  const isOneOfMany = ctx.othersToldMs > 0 && !isMember(ctx, to)
  insertNotification(ctx.db, { uid: to, sortAt, reason, record, subject }, isOneOfMany)
  if (!isOneOfMany) fetchNotifier(ctx, to, record.author)
}

/** @param sortAt - who is no member is told of nothing that is too old to be kept */
export function isTold(ctx: IndexContext, to: number, author: number, sortAt = ctx.now): boolean {
  if (to === author || !hasNotifications(ctx, to)) return false
  return isMember(ctx, to) || sortAt >= ctx.now - ctx.othersToldMs
}

/** Whether anything is collected for this account. */
export function hasNotifications(ctx: IndexContext, uid: number): boolean {
  return isMember(ctx, uid) || (uid !== 0 && ctx.othersToldMs > 0)
}

/**
 * The record is gone, or another stands under its key.
 * @returns whether it had told anybody
 */
export function withdrawNotifications(
  { db }: IndexContext,
  { uid, collection, rkey }: Pick<RecordRemoval, 'uid' | 'collection' | 'rkey'>,
): boolean {
  return deleteNotificationsOf(db, { author: uid, collection, rkey })
}

/** A like or repost that is the first of its creator's on this post. */
export function notifyOfReaction(
  ctx: IndexContext,
  write: RecordWrite,
  { uid, owner, rkey }: { uid: number; owner: number; rkey: string },
): void {
  // As in the reference, one's own post liked by way of another's repost tells nobody.
  if (owner === uid) return
  const via = viaOf(ctx, write.record)
  if (!hasNotifications(ctx, owner) && !via) return
  const act = { record: toldRecord(write, uid), sortAt: sortAtOf(write) }
  const isLike = write.collection === LIKE
  const post = { collection: POST, rkey: packRkey(rkey) } as const
  notify(ctx, { ...act, to: owner, reason: isLike ? 'like' : 'repost', subject: post })
  if (!via) return
  const repost = { collection: REPOST, rkey: packRkey(via.rkey) } as const
  const reason = isLike ? 'like-via-repost' : 'repost-via-repost'
  notify(ctx, { ...act, to: via.uid, reason, subject: repost })
}

/** The first like of its creator's of a feed, a starter pack or a labeler. */
export function notifyOfRecordLike(
  ctx: IndexContext,
  write: RecordWrite,
  { uid, owner, subject }: { uid: number; owner: number; subject: Occasion['subject'] },
): void {
  const act = { record: toldRecord(write, uid), sortAt: sortAtOf(write) }
  notify(ctx, { ...act, to: owner, reason: 'like', subject })
}

/** The repost by way of which it was done, by somebody who may be told of it. */
function viaOf(ctx: IndexContext, { via }: JsonObject): { uid: number; rkey: string } | undefined {
  const ref = via === undefined ? undefined : parseRecordUri(asObject(via)?.['uri'], REPOST)
  const uid = ref ? ctx.actors.uidOf(ref.did) : 0
  return ref && hasNotifications(ctx, uid) ? { uid, rkey: ref.rkey } : undefined
}

/** Called before the follow has its row: unless another one says the same. */
export function notifyOfFollow(
  ctx: IndexContext,
  write: RecordWrite,
  { uid, subject }: { uid: number; subject: number },
): void {
  if (!isTold(ctx, subject, uid) || isFollowing(ctx.db, uid, subject)) return
  const record = toldRecord(write, uid)
  notify(ctx, { to: subject, reason: 'follow', record, sortAt: sortAtOf(write) })
}

/** A record whose JSON is kept with the notification. */
function toldRecord(write: RecordWrite, author: number): NotifyingRecord {
  const { collection, rkey, cid } = write
  return { author, collection, rkey, cid, json: toldJson(write) }
}

function fetchNotifier(ctx: IndexContext, to: number, author: number): void {
  const known = fetched(ctx.db)
  const minute = Math.floor(ctx.now / MINUTE_MS)
  const last = known.get(to)
  const people = last?.minute === minute ? last.people + 1 : 1
  known.set(to, { minute, people })
  if (people <= MAX_PEOPLE_A_MINUTE) fetchPerson(ctx, author)
}
