// Threads whose notifications a member has muted. As in the reference, this is checked when an event happens:
// earlier notifications stay, and suppressed ones are not sent later.

import type { NotificationRow } from '../../../data/store/notifications/notifications.ts'
import { findPost } from '../../../data/store/posts/posts.ts'
import {
  deleteThreadMute,
  hasThreadMutes,
  insertThreadMute,
  isThreadMuted,
} from '../../../data/store/private/thread-mutes.ts'
import { type IndexContext, internActor } from '../index-context.ts'
import { ensurePost, lookUpPost } from '../records/post-rows.ts'
import { parsePostUri } from '../records/record-fields.ts'

/** @param root - at-URI by DID. `createdAt` in milliseconds; defaults to now. */
export function muteThread(
  ctx: IndexContext,
  did: string,
  root: string,
  { createdAt = ctx.now }: { createdAt?: number } = {},
): void {
  const ref = parsePostUri(root)
  if (!ref) return
  insertThreadMute(ctx.db, internActor(ctx, did), ensurePost(ctx, ref, 0).id, createdAt)
}

export function unmuteThread(ctx: IndexContext, did: string, root: string): void {
  const uid = ctx.actors.uidOf(did)
  const ref = parsePostUri(root)
  const post = ref && lookUpPost(ctx, ref)
  if (uid !== 0 && post) deleteThreadMute(ctx.db, uid, post.id)
}

/** @param subject - a record of the account itself, which the event is about */
export function isAboutMutedThread(
  { db }: IndexContext,
  uid: number,
  subject: NotificationRow['subject'],
): boolean {
  if (subject?.collection !== 'app.bsky.feed.post' || !hasThreadMutes(db, uid)) return false
  const post = findPost(db, uid, subject.rkey)
  return post !== undefined && isThreadMuted(db, uid, post.root ?? post.id)
}
