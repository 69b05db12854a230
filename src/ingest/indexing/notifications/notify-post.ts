// Accounts that a post notifies: those it mentions, the quoted author, authors above it in the thread, and
// subscribers to its author's posts; in this order, each once. As in the reference, authors of up to four
// posts above are notified, up to one that the threadgate hides; a reply that violates the gate notifies none
// above it, a quote that violates a postgate not the quoted author. The owner of a post without a record is
// notified at once and sees it when that arrives; so are then the authors above it.

import { isValidDid } from '@atproto/syntax'
import { recordUri } from '../../../base/atproto/at-uri.ts'
import { packRkey } from '../../../base/atproto/keys.ts'
import { asArray, type JsonObject } from '../../../base/util/json-object.ts'
import type { NotificationReason } from '../../../data/store/notifications/notification-reasons.ts'
import {
  hasNotified,
  type NotifyingRecord,
  type RecordKey,
} from '../../../data/store/notifications/notifications.ts'
import { findGate } from '../../../data/store/posts/gates.ts'
import { VIOLATES_POSTGATE, VIOLATES_THREADGATE } from '../../../data/store/posts/post-flags.ts'
import { postAbove } from '../../../data/store/posts/post-parents.ts'
import { findPostById, type PostRow, presentReplies } from '../../../data/store/posts/posts.ts'
import { activitySubscribersOf } from '../../../data/store/private/activity-subscriptions.ts'
import { isFollowing } from '../../../data/store/records/follows.ts'
import { type IndexContext, internActor, type RecordWrite, sortAtOf } from '../index-context.ts'
import type { RecordRef } from '../records/record-fields.ts'
import { mentionsIn } from '../records/reply-rules.ts'
import { hasNotifications, isNotified, notify, POST, tell } from './notify.ts'

/** Posts above a reply whose authors are told. */
export const MAX_HEIGHT = 4
/** Replies revisited below a post that arrives late. */
const MAX_REPLIES_NOTIFIED = 100
const MAX_SUBSCRIBERS = 10_000

type PostThread = {
  flags: number
  parent: number | null
  root: number | null
  quote: RecordRef | undefined
  isReply: boolean
}

export function notifyOfPost(ctx: IndexContext, write: RecordWrite, thread: PostThread): void {
  const { uid, rkey, record } = write
  const key: RecordKey = { author: uid, collection: POST, rkey }
  const sortAt = sortAtOf(write)
  const notified = new Set([uid])
  const tellOnce = (to: number, reason: NotificationReason, subject?: PostRow['rkey']) => {
    if (notified.has(to)) return
    notified.add(to)
    notify(ctx, { to, reason, record: postRecord(key), sortAt, subject: ownPost(subject) })
  }
  for (const did of mentionsIn(record)) tellOnce(mentioned(ctx, did), 'mention')
  const { quote, flags } = thread
  if (quote && !(flags & VIOLATES_POSTGATE)) {
    tellOnce(ctx.actors.uidOf(quote.did), 'quote', packRkey(quote.rkey))
  }
  if (!(flags & VIOLATES_THREADGATE)) {
    for (const above of ancestors(ctx, thread)) tellOnce(above.uid, 'reply', above.rkey)
  }
  for (const subscriber of subscribers(ctx, { uid, sortAt, isReply: thread.isReply })) {
    tellOnce(subscriber, 'subscribed-post')
  }
}

/** Where all accounts are notified, this includes accounts not known before. */
function mentioned(ctx: IndexContext, did: string): number {
  return ctx.othersNotifiedMs > 0 && isValidDid(did) ? internActor(ctx, did) : ctx.actors.uidOf(did)
}

/** Notifies the authors above a referenced post that has arrived of the replies below it. */
export function notifyOfRepliesBelow(ctx: IndexContext, post: number): void {
  let below = [post]
  let left = MAX_REPLIES_NOTIFIED
  for (let depth = 1; depth < MAX_HEIGHT && below.length > 0; depth++) {
    const replies = below.flatMap((parent) => {
      const found = left > 0 ? presentReplies(ctx.db, parent, left) : []
      left -= found.length
      return found
    })
    for (const reply of replies) notifyAbove(ctx, reply)
    below = replies.map(({ id }) => id)
  }
}

function notifyAbove(ctx: IndexContext, row: PostRow): void {
  if (row.flags & VIOLATES_THREADGATE) return
  for (const above of ancestors(ctx, row)) {
    if (!isNotified(ctx, above.uid, row.uid, row.sort_at ?? ctx.now)) continue
    notifyOfPostRow(ctx, row, { to: above.uid, reason: 'reply', subject: above.rkey })
  }
}

/** Notifies of a post that is already stored, unless it has notified this account before. */
export function notifyOfPostRow(
  ctx: IndexContext,
  { uid, rkey, sort_at }: Pick<PostRow, 'uid' | 'rkey' | 'sort_at'>,
  notified: { to: number; reason: 'mention' | 'reply' | 'quote'; subject?: PostRow['rkey'] },
): void {
  const key: RecordKey = { author: uid, collection: POST, rkey }
  const { to, reason, subject } = notified
  if (hasNotified(ctx.db, key, to)) return
  const sortAt = sort_at ?? ctx.now
  tell(ctx, { to, reason, record: postRecord(key), sortAt, subject: ownPost(subject) })
}

/** Whether a stored reply notifies the author of a post above it, whoever that is. */
export function doesReplyNotify(ctx: IndexContext, reply: PostRow, post: number): boolean {
  if (reply.flags & VIOLATES_THREADGATE) return false
  const above = postsAbove(ctx, reply).map(({ id }) => id)
  return visibleFrom(ctx, reply, above).some(({ id }) => id === post)
}

/** Posts from the parent upwards whose authors are notified; empty if none of them is. */
function ancestors(ctx: IndexContext, thread: Pick<PostThread, 'parent' | 'root'>): PostRow[] {
  const above = postsAbove(ctx, thread)
  if (!above.some(({ uid }) => hasNotifications(ctx, uid))) return []
  return visibleFrom(
    ctx,
    thread,
    above.map(({ id }) => id),
  )
}

function postsAbove(
  ctx: IndexContext,
  { parent }: Pick<PostThread, 'parent'>,
): { id: number; uid: number }[] {
  const found: { id: number; uid: number }[] = []
  for (let id = parent; id !== null && found.length < MAX_HEIGHT; ) {
    const above = postAbove(ctx.db, id)
    if (!above) break
    found.push({ id, uid: above[0] })
    id = above[1]
  }
  return found
}

/** The posts up to the first one that the thread's gate hides. */
function visibleFrom(
  ctx: IndexContext,
  { root }: Pick<PostThread, 'root'>,
  ids: readonly number[],
): PostRow[] {
  const rows = ids.map((id) => findPostById(ctx.db, id)!)
  const hidden = hiddenReplies(ctx, root)
  const end = hidden.size > 0 ? rows.findIndex((row) => hidden.has(uriOf(ctx, row))) : -1
  return end < 0 ? rows : rows.slice(0, end + 1)
}

/** at-URIs that the thread's gate hides. */
function hiddenReplies(ctx: IndexContext, root: number | null): Set<string> {
  const gate = root === null ? undefined : findGate(ctx.db, 'threadgates', root)
  if (!gate) return new Set()
  const record = JSON.parse(gate.record.toString()) as JsonObject
  return new Set(asArray(record['hiddenReplies']).filter((uri) => typeof uri === 'string'))
}

function uriOf({ actors }: IndexContext, { uid, rkey }: PostRow): string {
  return recordUri(actors.didOf(uid), POST, rkey)
}

/** Followers of the author that subscribed to such posts before this one was written. */
function* subscribers(
  ctx: IndexContext,
  post: { uid: number; sortAt: number; isReply: boolean },
): Generator<number> {
  for (const activitySubscription of activitySubscribersOf(ctx.db, post.uid, MAX_SUBSCRIBERS)) {
    const isWanted = post.isReply ? activitySubscription.reply : activitySubscription.post
    if (!isWanted || post.sortAt < activitySubscription.created_at) continue
    if (isFollowing(ctx.db, activitySubscription.uid, post.uid)) yield activitySubscription.uid
  }
}

/** Posts are read from their own table. */
function postRecord(key: RecordKey): NotifyingRecord {
  return { ...key, cid: undefined, json: undefined }
}

function ownPost(rkey: PostRow['rkey'] | undefined) {
  return rkey === undefined ? undefined : ({ collection: POST, rkey } as const)
}
