// Finds and creates the rows that other records reference.

import { microsOf, packRkey, unpackRkey } from '../../../base/atproto/keys.ts'
import { HOUR_MS, MINUTE_MS } from '../../../base/util/durations.ts'
import { ANCHOR, REACTIONS_PRUNED } from '../../../data/store/posts/post-flags.ts'
import {
  findPostHandle,
  insertStubPost,
  type PostHandle,
  PRESENT,
  PRUNED,
  STUB,
  setPostFlags,
} from '../../../data/store/posts/posts.ts'
import { findList, insertStubList, type ListRow } from '../../../data/store/records/lists.ts'
import { type IndexContext, internActor, isAuthor, type RecordWrite } from '../index-context.ts'
import type { RecordRef } from './record-fields.ts'

/** How long an author's post may still be on its way when others already react to it. */
const MAY_COME_WITHIN_MS = 36 * HOUR_MS
/** How far ahead of ours the clock that made a record key may be. */
const CLOCK_SKEW_MS = 10 * MINUTE_MS

export function lookUpPost(ctx: IndexContext, ref: RecordRef): PostHandle | undefined {
  const uid = ctx.actors.uidOf(ref.did)
  return uid === 0 ? undefined : findPostHandle(ctx.db, uid, packRkey(ref.rkey))
}

/**
 * Returns the post's row, a stub if it is new. `flags` are set on it in either case: ANCHOR if an
 * author references it, otherwise 0.
 */
export function ensurePost(ctx: IndexContext, ref: RecordRef, flags: number): PostHandle {
  const row = lookUpPost(ctx, ref)
  if (!row) {
    const uid = internActor(ctx, ref.did)
    return { id: insertStubPost(ctx.db, uid, packRkey(ref.rkey), flags), uid, state: STUB, flags }
  }
  if ((row.flags & flags) === flags) return row
  setPostFlags(ctx.db, row.id, row.flags | flags)
  return { ...row, flags: row.flags | flags }
}

/** Marks a post that is about to be applied as shown to a member: kept whoever wrote it. */
export function storeVisible(ctx: IndexContext, { did, collection, rkey }: RecordWrite): void {
  if (collection === 'app.bsky.feed.post') ensurePost(ctx, { did, rkey: unpackRkey(rkey) }, ANCHOR)
}

/** Whether strangers' reactions to this post are kept: it is stored, or an author references it. */
export function isStoredPost(row: PostHandle | undefined): row is PostHandle {
  if (!row) return false
  return row.state === PRESENT || row.state === PRUNED || (row.flags & ANCHOR) !== 0
}

/** The post if strangers' reactions of this time are kept: `isStoredPost`, or it may still arrive. */
export function storedPost(ctx: IndexContext, ref: RecordRef, at: number): PostHandle | undefined {
  const row = lookUpPost(ctx, ref)
  if (isStoredPost(row)) return row
  return mayStillCome(ctx, ref, { row, at }) ? ensurePost(ctx, ref, ANCHOR) : undefined
}

/**
 * Whether this is an author's recent post that was not seen yet. Events of different accounts
 * arrive in no common order, and a new author's past is fetched while others go on.
 */
export function mayStillCome(
  ctx: IndexContext,
  ref: RecordRef,
  { row, at }: { row: PostHandle | undefined; at: number },
): boolean {
  if (row && row.state !== STUB) return false
  if (!isAuthor(ctx, ctx.actors.uidOf(ref.did))) return false
  const rkey = packRkey(ref.rkey)
  if (typeof rkey === 'string') return false
  const age = at - microsOf(rkey) / 1000
  return age < MAY_COME_WITHIN_MS && age > -CLOCK_SKEW_MS
}

/** Whether a reaction of this time may have been counted and pruned. */
export function isCountedAlready(ctx: IndexContext, post: PostHandle, sortAt: number): boolean {
  return (post.flags & REACTIONS_PRUNED) !== 0 && sortAt < ctx.prunedBefore
}

export function lookUpList(ctx: IndexContext, ref: RecordRef): ListRow | undefined {
  const uid = ctx.actors.uidOf(ref.did)
  return uid === 0 ? undefined : findList(ctx.db, uid, packRkey(ref.rkey))
}

/** Returns the list's row, a stub if it is new. */
export function ensureList(ctx: IndexContext, ref: RecordRef): { id: number; isStub: boolean } {
  const uid = internActor(ctx, ref.did)
  const rkey = packRkey(ref.rkey)
  const row = findList(ctx.db, uid, rkey)
  if (row) return { id: row.id, isStub: row.cid === null }
  return { id: insertStubList(ctx.db, uid, rkey), isStub: true }
}
