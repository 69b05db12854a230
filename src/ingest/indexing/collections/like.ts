// app.bsky.feed.like. Likes of posts; likes of feeds and other records are in record-like.ts.

import { collectionCodes } from '../../../base/atproto/collections.ts'
import { packRkey } from '../../../base/atproto/keys.ts'
import { likeEdges } from '../../../data/store/edges/all-edges.ts'
import type { Edge } from '../../../data/store/edges/edge.ts'
import { keysIn, keysOfEdges } from '../../../data/store/fetching/stored-keys.ts'
import { ANCHOR } from '../../../data/store/posts/post-flags.ts'
import type { PostHandle } from '../../../data/store/posts/posts.ts'
import { deleteLike, deleteLikesOf, insertLike } from '../../../data/store/records/likes.ts'
import { deleteRecordLikesOf } from '../../../data/store/records/record-likes.ts'
import { GC, putGcCandidate } from '../../../data/store/removal/gc-candidates.ts'
import {
  type IndexContext,
  internCreator,
  isAuthor,
  isMember,
  type Outcome,
  postCounts,
  type RecordRemoval,
  type RecordWrite,
  sortAtOf,
} from '../index-context.ts'
import { LIKE, notifyOfReaction, withdrawNotifications } from '../notifications/notify.ts'
import { notifyOfOtherLike } from '../notifications/notify-rows.ts'
import { noteAct } from '../records/act-arrival.ts'
import { addPostCandidates, isOrWasAuthor } from '../records/gc-posts.ts'
import { ensurePost, isCountedAlready, storedPost } from '../records/post-rows.ts'
import { storeUnusual } from '../records/reaction-record.ts'
import { parsePostUri, type RecordRef, subjectUri } from '../records/record-fields.ts'
import { parseNamedRecord } from '../records/record-rows.ts'
import { removeEdges } from '../removal/remove-edges.ts'
import { isStoredPostId } from '../retention/post-needs.ts'
import { eachPointer } from '../retention/sweep-edges.ts'
import { sweepPost } from '../retention/sweep-post.ts'
import { type CollectionRules, isAboutFarPost, isUnreadReaction } from './collection-rules.ts'
import { putRecordLike, removeRecordLike } from './record-like.ts'

function put(ctx: IndexContext, write: RecordWrite): Outcome {
  const uri = subjectUri(write.record)
  const ref = parsePostUri(uri)
  if (!ref) return putOtherLike(ctx, write, uri)
  const post = storedSubject(ctx, write, ref)
  if (!post) return 'out-of-scope'
  const subject = post.id
  const uid = internCreator(ctx, write)
  const { rkey, createdAt } = write
  const existing = findOwn(ctx, write)
  if (existing?.subject === subject && existing.createdAt === createdAt) return 'duplicate'
  const isFull = existing?.subject !== subject && likeEdges.isFull(ctx.db, uid, subject)
  if (existing) retract(ctx, existing)
  else if (write.uid !== 0) removeRecordLike(ctx, { uid, rkey })
  if (isFull) return 'too-often'
  const like = { uid, rkey, subject, sortAt: sortAtOf(write), createdAt }
  const isFirst = insertLike(ctx.db, like)
  const record = { collection: collectionCodes['app.bsky.feed.post'], rkey: packRkey(ref.rkey) }
  noteAct(ctx, write, uid, { uid: post.uid, record })
  if (post.uid !== uid) storeUnusual(ctx, write, { uid, at: createdAt })
  if (isFirst && !isCountedAlready(ctx, post, like.sortAt)) {
    postCounts(ctx, subject).likes++
    notifyOfReaction(ctx, write, { uid, owner: post.uid, rkey: ref.rkey })
  }
  return 'applied'
}

function remove(ctx: IndexContext, removal: RecordRemoval): boolean {
  const existing = likeEdges.find(ctx.db, removal.uid, removal.rkey)
  if (!existing) return removeRecordLike(ctx, removal)
  retract(ctx, existing)
  return true
}

/** Stores a like of a record that is no post. The key may have held a like of a post. */
function putOtherLike(ctx: IndexContext, write: RecordWrite, uri: unknown): Outcome {
  const ref = parseNamedRecord(uri)
  if (!ref) return 'subject-unusable'
  const before = findOwn(ctx, write)
  if (before) retract(ctx, before)
  return putRecordLike(ctx, write, ref)
}

/** An account that was unknown until now has no likes. */
function findOwn(ctx: IndexContext, { uid, rkey }: RecordWrite): Edge | undefined {
  return uid === 0 ? undefined : likeEdges.find(ctx.db, uid, rkey)
}

function retract(ctx: IndexContext, like: Edge): void {
  const { uid, rkey, subject } = like
  deleteLike(ctx.db, like)
  if (isOrWasAuthor(ctx, uid)) addPostCandidates(ctx, [subject])
  const hadNotified = withdrawNotifications(ctx, { uid, collection: LIKE, rkey })
  if (!likeEdges.has(ctx.db, uid, subject)) postCounts(ctx, subject).likes--
  else if (hadNotified) notifyOfOtherLike(ctx, uid, subject)
}

/** Returns the post if a like of it by this account is kept. */
function storedSubject(
  ctx: IndexContext,
  { uid, indexedAt }: RecordWrite,
  ref: RecordRef,
): PostHandle | undefined {
  if (isMember(ctx, uid)) return ensurePost(ctx, ref, ANCHOR)
  if (ctx.scope === 'network') return ensurePost(ctx, ref, 0)
  const isAuthors = isAuthor(ctx, uid)
  if (ctx.scope === 'authors' && !isAuthors) return undefined
  return storedPost(ctx, ref, indexedAt) ?? (isAuthors ? ensurePost(ctx, ref, 0) : undefined)
}

/** Drops a like that is no longer needed; its creator did not delete it. */
export function dropLike(ctx: IndexContext, { uid, rkey }: Pick<Edge, 'uid' | 'rkey'>): void {
  remove(ctx, { uid, collection: LIKE, rkey, rev: '', seenAtUs: 0 })
  putGcCandidate(ctx.db, GC.account, uid)
}

function removeAll(ctx: IndexContext, uid: number): void {
  const liked = likeEdges.subjectsOf(ctx.db, uid)
  for (const subject of liked) postCounts(ctx, subject).likes--
  if (isOrWasAuthor(ctx, uid)) addPostCandidates(ctx, liked)
  deleteLikesOf(ctx.db, uid)
  deleteRecordLikesOf(ctx.db, uid)
}

const ofPosts = keysOfEdges(likeEdges)
const ofRecords = keysIn('record_likes')

export const like: CollectionRules = {
  put,
  remove,
  isFar: isAboutFarPost,
  isFarUnread: isUnreadReaction,
  removeSome: removeEdges(likeEdges, retract),
  removeAll,
  release: [
    eachPointer(likeEdges, (ctx, uid, pointer) => {
      sweepPost(ctx, pointer.subject)
      if (isStoredPostId(ctx, pointer.subject) && ctx.storedScope !== 'authors') return
      for (const edge of likeEdges.resolve(ctx.db, uid, pointer)) dropLike(ctx, edge)
      putGcCandidate(ctx.db, GC.post, pointer.subject)
    }),
  ],
  *storedKeys(db, of) {
    yield* ofPosts(db, of)
    yield* ofRecords(db, of)
  },
  readWith: 'feed',
}
