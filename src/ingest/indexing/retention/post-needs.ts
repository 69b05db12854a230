// Decides what a post is still needed for, by the scope rules that apply to arriving records, as if all
// records here had just arrived. A post counts as needed if the answer would take much work.

import type { JsonObject } from '../../../base/util/json-object.ts'
import { likeEdges } from '../../../data/store/edges/all-edges.ts'
import { allMembers } from '../../../data/store/members/members.ts'
import {
  creatorsPointingAt,
  isBookmarked,
  isPointedAt,
  isVisibleWithAnother,
  likersOf,
  MAX_LOOKED_AT,
  repostersOf,
} from '../../../data/store/posts/pointers-to-posts.ts'
import { ANCHOR } from '../../../data/store/posts/post-flags.ts'
import { findPostById, type PostRow, postRecord } from '../../../data/store/posts/posts.ts'
import { type IndexContext, isAuthor, isMember } from '../index-context.ts'
import { isStoredPost } from '../records/post-rows.ts'
import { mentionsIn } from '../records/reply-rules.ts'

/** Whether the post's author alone makes it kept. */
export function isStoredWhole(ctx: IndexContext, uid: number): boolean {
  return ctx.storedScope === 'network' || isAuthor(ctx, uid)
}

/** Whether strangers' reactions to the post are kept. */
export function isStoredPostId(ctx: IndexContext, post: number): boolean {
  return isStoredPost(findPostById(ctx.db, post))
}

/** Whether an author references the post, or a member likes or bookmarks it. */
export function isAnchored(ctx: IndexContext, post: number): boolean {
  if (isBookmarked(ctx.db, post)) return true
  for (const uids of creatorsPointingAt(ctx.db, post)) {
    if (uids.length >= MAX_LOOKED_AT || uids.some((uid) => isAuthor(ctx, uid))) return true
  }
  const likers = likersOf(ctx.db, post)
  if (likers.some((uid) => isMember(ctx, uid))) return true
  return likers.length >= MAX_LOOKED_AT && isLikedByMember(ctx, post)
}

/** Whether the record of a post that no author wrote or references is kept all the same. */
export function isRecordNeeded(ctx: IndexContext, row: PostRow): boolean {
  if (isVisibleWithAnother(ctx.db, row.id)) return true
  return ctx.storedScope !== 'authors' && (pointsAtAnchor(ctx, row) || mentionsMember(ctx, row))
}

/** Whether the post's row is needed, even without a record. */
export function isRowNeeded(ctx: IndexContext, row: PostRow): boolean {
  return isPointedAt(ctx.db, row.id)
}

/** Whether strangers like or repost the post, too. */
export function hasStrangersReactions(ctx: IndexContext, post: number): boolean {
  const isStranger = (uid: number) => !isAuthor(ctx, uid)
  return repostersOf(ctx.db, post).some(isStranger) || likersOf(ctx.db, post).some(isStranger)
}

function isLikedByMember({ db }: IndexContext, subject: number): boolean {
  const creators = allMembers(db).map(({ uid }) => uid)
  return likeEdges.keysTo(db, { creators, subject }).size > 0
}

function pointsAtAnchor(ctx: IndexContext, { root, parent, quote }: PostRow): boolean {
  return [root, parent, quote].some((id) => {
    const row = id === null ? undefined : findPostById(ctx.db, id)
    return row !== undefined && ((row.flags & ANCHOR) !== 0 || isAuthor(ctx, row.uid))
  })
}

function mentionsMember(ctx: IndexContext, row: PostRow): boolean {
  const text = postRecord(ctx.db, row.id)
  if (!text?.includes('#mention')) return false
  const record = JSON.parse(text) as JsonObject
  return mentionsIn(record).some((did) => isMember(ctx, ctx.actors.uidOf(did)))
}
