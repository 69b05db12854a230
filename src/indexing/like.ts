// app.bsky.feed.like.

import { deleteLike, findLike, hasLiked, insertLike } from '../store/likes.ts'
import { ANCHOR } from '../store/post-flags.ts'
import {
  type IndexContext,
  internActor,
  isAuthor,
  isMember,
  type Outcome,
  postCounts,
  type RecordRemoval,
  type RecordWrite,
} from './index-context.ts'
import { ensurePost, isKeptPost, lookUpPost } from './post-rows.ts'
import { subjectUri } from './record-fields.ts'
import { parsePostUri, type RecordRef } from './record-keys.ts'

export function putLike(ctx: IndexContext, write: RecordWrite): Outcome {
  const ref = parsePostUri(subjectUri(write.record))
  if (!ref) return 'subject-unusable'
  const subject = keptSubject(ctx, write.uid, ref)
  if (subject === undefined) return 'out-of-scope'
  const uid = internActor(ctx, write.did)
  const { rkey, createdAt } = write
  const existing = findLike(ctx.db, uid, rkey)
  if (existing?.subject === subject && existing.created_at === createdAt) return 'duplicate'
  if (existing) retractLike(ctx, uid, rkey, existing.subject)
  if (!hasLiked(ctx.db, uid, subject)) postCounts(ctx, subject).likes++
  const lag = write.indexedAt - createdAt
  insertLike(ctx.db, { uid, rkey, subject, created_at: createdAt, lag })
  return 'applied'
}

export function removeLike(ctx: IndexContext, { uid, rkey }: RecordRemoval): boolean {
  const existing = findLike(ctx.db, uid, rkey)
  if (existing) retractLike(ctx, uid, rkey, existing.subject)
  return existing !== undefined
}

function retractLike(
  ctx: IndexContext,
  uid: number,
  rkey: RecordWrite['rkey'],
  subject: number,
): void {
  deleteLike(ctx.db, uid, rkey)
  if (!hasLiked(ctx.db, uid, subject)) postCounts(ctx, subject).likes--
}

/** The post's id, where a like of it by this account is kept. */
function keptSubject(ctx: IndexContext, uid: number, ref: RecordRef): number | undefined {
  if (isMember(ctx, uid)) return ensurePost(ctx, ref, ANCHOR).id
  if (ctx.scope === 'network' || isAuthor(ctx, uid)) return ensurePost(ctx, ref, 0).id
  if (ctx.scope === 'authors') return undefined
  const row = lookUpPost(ctx, ref)
  return isKeptPost(row) ? row.id : undefined
}
