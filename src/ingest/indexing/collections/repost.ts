// app.bsky.feed.repost. Every record is a separate feed item; several by one account of one post count once.

import { cidRank, digestRank } from '../../../base/atproto/keys.ts'
import { itemHash } from '../../../data/graph/lossiness.ts'
import { keysIn } from '../../../data/store/fetching/stored-keys.ts'
import { ANCHOR } from '../../../data/store/posts/post-flags.ts'
import type { PostHandle } from '../../../data/store/posts/posts.ts'
import { type RepostKey, repostsOfAccount } from '../../../data/store/records/reactions.ts'
import {
  deleteRepost,
  deleteRepostsOf,
  findRepost,
  hasReposted,
  insertRepost,
  type RepostRow,
  repostedBy,
} from '../../../data/store/records/reposts.ts'
import { GC, putGcCandidate } from '../../../data/store/removal/gc-candidates.ts'
import { repostItem } from '../../../data/store/timelines/item-ids.ts'
import { fetchPerson, fetchPost } from '../fetch-missing.ts'
import {
  type IndexContext,
  internCreator,
  isAuthor,
  isTooEarly,
  type Outcome,
  postCounts,
  type RecordRemoval,
  type RecordWrite,
  sortAtOf,
} from '../index-context.ts'
import { notifyOfReaction, REPOST, withdrawNotifications } from '../notifications/notify.ts'
import { notifyOfOtherRepost } from '../notifications/notify-rows.ts'
import { addPostCandidates, isOrWasAuthor } from '../records/gc-posts.ts'
import { ensurePost, isCountedAlready, storedPost } from '../records/post-rows.ts'
import { storeUnusual } from '../records/reaction-record.ts'
import { parsePostUri, type RecordRef, subjectUri } from '../records/record-fields.ts'
import { isStoredPostId } from '../retention/post-needs.ts'
import { goesOnAfter, keyAfter, PAGE } from '../retention/step.ts'
import { sweepPost } from '../retention/sweep-post.ts'
import { type CollectionRules, isAboutFarPost, isUnreadReaction } from './collection-rules.ts'

function put(ctx: IndexContext, write: RecordWrite): Outcome {
  const ref = parsePostUri(subjectUri(write.record))
  if (!ref) return 'subject-unusable'
  const post = storedSubject(ctx, write, ref)
  if (!post) return 'out-of-scope'
  const subject = post.id
  const uid = internCreator(ctx, write)
  const existing = findRepost(ctx.db, uid, write.rkey)
  if (existing?.cid.equals(write.cid) && !isTooEarly(existing, write)) return 'duplicate'
  if (existing) retractRepost(ctx, existing)
  const isFirst =
    !hasReposted(ctx.db, uid, subject) && !isCountedAlready(ctx, post, sortAtOf(write))
  if (isFirst) notifyOfReaction(ctx, write, { uid, owner: post.uid, rkey: ref.rkey })
  insert(ctx, { ...write, uid }, { subject, isFirst })
  if (post.uid !== uid) storeUnusual(ctx, write, { uid, at: write.createdAt })
  return 'applied'
}

function remove(ctx: IndexContext, { uid, rkey }: RecordRemoval): boolean {
  const existing = findRepost(ctx.db, uid, rkey)
  if (existing) retractRepost(ctx, existing)
  return existing !== undefined
}

function insert(
  ctx: IndexContext,
  write: RecordWrite,
  { subject, isFirst }: { subject: number; isFirst: boolean },
): void {
  const { uid, rkey, cid, createdAt, indexedAt } = write
  if (isFirst) postCounts(ctx, subject).reposts++
  const sortAt = sortAtOf(write)
  const times = { created_at: createdAt, indexed_at: indexedAt, sort_at: sortAt }
  const item = repostItem(insertRepost(ctx.db, { uid, rkey, subject, cid, ...times }))
  if (!isAuthor(ctx, uid)) return
  const entry = { item, originator: uid, sortAt, rank: cidRank(write.cidText) }
  const hash = itemHash(ctx.actors.hashOf(uid), rkey, true)
  ctx.changes.push({ kind: 'item-added', entry, hash })
}

function retractRepost(ctx: IndexContext, row: RepostRow): void {
  deleteRepost(ctx.db, row)
  if (isOrWasAuthor(ctx, row.uid)) addPostCandidates(ctx, [row.subject])
  const key = { uid: row.uid, collection: REPOST, rkey: row.rkey } as const
  const hadNotified = withdrawNotifications(ctx, key)
  if (!hasReposted(ctx.db, row.uid, row.subject)) postCounts(ctx, row.subject).reposts--
  else if (hadNotified) notifyOfOtherRepost(ctx, row.uid, row.subject)
  const position = { item: repostItem(row.id), sortAt: row.sort_at, rank: digestRank(row.cid) }
  ctx.changes.push({ kind: 'item-removed', entry: { ...position, originator: row.uid } })
}

/** Returns the post if a repost of it by this account is kept. An author's repost must be shown. */
function storedSubject(
  ctx: IndexContext,
  { uid, indexedAt, isVisible }: RecordWrite,
  ref: RecordRef,
): PostHandle | undefined {
  if (isAuthor(ctx, uid)) {
    const post = ensurePost(ctx, ref, ANCHOR)
    fetchPost(ctx, post)
    fetchPerson(ctx, post.uid)
    return post
  }
  // The post is requested when a client views the repost.
  if (isVisible) return ensurePost(ctx, ref, ANCHOR)
  if (ctx.scope === 'network') return ensurePost(ctx, ref, 0)
  if (ctx.scope === 'authors') return undefined
  return storedPost(ctx, ref, indexedAt)
}

/** Drops a repost that is no longer needed; its creator did not delete it. */
export function dropRepost(
  ctx: IndexContext,
  { uid, rkey }: Pick<RepostKey, 'uid' | 'rkey'>,
): void {
  remove(ctx, { uid, collection: REPOST, rkey, rev: '', seenAtUs: 0 })
  putGcCandidate(ctx.db, GC.account, uid)
}

function removeSome(ctx: IndexContext, uid: number, limit: number): number {
  const page = repostsOfAccount(ctx.db, uid, { after: '', limit })
  for (const { rkey } of page) {
    remove(ctx, { uid, collection: REPOST, rkey, rev: '', seenAtUs: 0 })
  }
  return page.length
}

function removeAll(ctx: IndexContext, uid: number): void {
  const reposted = repostedBy(ctx.db, uid)
  for (const subject of reposted) postCounts(ctx, subject).reposts--
  if (isOrWasAuthor(ctx, uid)) addPostCandidates(ctx, reposted)
  deleteRepostsOf(ctx.db, uid)
}

export const repost: CollectionRules = {
  put,
  remove,
  isFar: isAboutFarPost,
  isFarUnread: isUnreadReaction,
  removeSome,
  removeAll,
  release: [
    (ctx, uid, reached) => {
      const page = repostsOfAccount(ctx.db, uid, { after: keyAfter(reached), limit: PAGE })
      for (const row of page) {
        sweepPost(ctx, row.subject)
        if (isStoredPostId(ctx, row.subject) && ctx.storedScope !== 'authors') continue
        dropRepost(ctx, row)
        putGcCandidate(ctx.db, GC.post, row.subject)
      }
      return goesOnAfter(page, ({ rkey }) => rkey)
    },
  ],
  storedKeys: keysIn('reposts'),
  readWith: 'feed',
}
