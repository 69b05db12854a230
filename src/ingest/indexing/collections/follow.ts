// app.bsky.graph.follow. The graph has an edge while at least one record for the pair exists. A member's
// follow changes the circle of authors.

import { followEdges } from '../../../data/store/edges/all-edges.ts'
import type { Edge } from '../../../data/store/edges/edge.ts'
import { enqueueJobAgain } from '../../../data/store/fetching/jobs.ts'
import { keysOfEdges } from '../../../data/store/fetching/stored-keys.ts'
import { followsCountOf } from '../../../data/store/records/actors.ts'
import {
  deleteFollow,
  deleteFollowsOf,
  followedBy,
  insertFollow,
  isFollowing,
} from '../../../data/store/records/follows.ts'
import { insertGraphChange } from '../../../data/store/records/graph-changes.ts'
import {
  hasKeyless,
  isKeyless,
  keylessRkey,
  putUnfollow,
  unmarkKeyless,
} from '../../../data/store/records/keyless-follows.ts'
import { GC, putGcCandidate } from '../../../data/store/removal/gc-candidates.ts'
import { fetchAuthorOf } from '../fetch-missing.ts'
import {
  actorCounts,
  type IndexContext,
  internActor,
  internCreator,
  isAuthor,
  isMember,
  isSameEdge,
  isTieStored,
  type Outcome,
  type RecordRemoval,
  type RecordWrite,
  sortAtOf,
} from '../index-context.ts'
import { FOLLOW, notifyOfFollow, withdrawNotifications } from '../notifications/notify.ts'
import { notifyOfOtherFollow } from '../notifications/notify-rows.ts'
import { noteAct } from '../records/act-arrival.ts'
import { addBoth, isFormerMember } from '../records/gc-posts.ts'
import { storeUnusual } from '../records/reaction-record.ts'
import { removeEdges } from '../removal/remove-edges.ts'
import { dropPointedBy, dropPointers, isStoredSubject } from '../retention/sweep-edges.ts'
import { type CollectionRules, isAboutFarAccount, isUnreadRelation } from './collection-rules.ts'

function put(ctx: IndexContext, write: RecordWrite): Outcome {
  const subjectDid = write.record['subject'] as string
  if (!isTieStored(ctx, write.uid, subjectDid)) return 'out-of-scope'
  const uid = internCreator(ctx, write)
  const subject = internActor(ctx, subjectDid)
  const existing = followEdges.find(ctx.db, uid, write.rkey)
  const sortAt = sortAtOf(write)
  if (existing && isSameEdge(existing, { subject, sortAt }, write)) return 'duplicate'
  if (existing?.subject !== subject && followEdges.isFull(ctx.db, uid, subject)) {
    if (existing) retract(ctx, existing)
    return 'too-often'
  }
  if (existing?.subject === subject) {
    deleteFollow(ctx.db, existing)
    const hadNotified = withdrawNotifications(ctx, { uid, collection: FOLLOW, rkey: write.rkey })
    if (hadNotified) notifyOfOtherFollow(ctx, uid, subject)
  } else {
    if (existing) retract(ctx, existing)
    if (!isFollowing(ctx.db, uid, subject)) connect(ctx, uid, subject)
    else dropKeyless(ctx, uid, subject)
  }
  notifyOfFollow(ctx, write, { uid, subject })
  insertFollow(ctx.db, { uid, rkey: write.rkey, subject, sortAt, createdAt: sortAt })
  storeUnusual(ctx, write, { uid, at: sortAt })
  noteAct(ctx, write, uid, { uid: subject })
  return 'applied'
}

function remove(ctx: IndexContext, { uid, rkey }: RecordRemoval): boolean {
  const existing = followEdges.find(ctx.db, uid, rkey)
  if (existing) retract(ctx, existing)
  else if (!isKeyless(rkey) && hasKeyless(ctx.db, uid)) readCompleteList(ctx, uid)
  return existing !== undefined
}

/** Drops the pair's imported follow without a key, as a record of the pair takes its place. */
export function dropKeyless(ctx: IndexContext, uid: number, subject: number): void {
  const keyless = followEdges.find(ctx.db, uid, keylessRkey(subject))
  if (keyless) deleteFollow(ctx.db, keyless)
}

/**
 * The deleted record may be an imported follow without a key: reads the repository to see which are
 * left.
 */
function readCompleteList(ctx: IndexContext, uid: number): void {
  enqueueJobAgain(ctx.db, 'follows', uid)
  unmarkKeyless(ctx.db, uid)
}

function retract(ctx: IndexContext, follow: Edge): void {
  const { uid, rkey, subject } = follow
  deleteFollow(ctx.db, follow)
  const hadNotified = withdrawNotifications(ctx, { uid, collection: FOLLOW, rkey })
  if (!isFollowing(ctx.db, uid, subject)) {
    disconnect(ctx, uid, subject)
    putUnfollow(ctx.db, uid, subject, ctx.now)
  } else if (hadNotified) notifyOfOtherFollow(ctx, uid, subject)
}

export function connect(ctx: IndexContext, creator: number, subject: number): void {
  actorCounts(ctx, creator).follows++
  actorCounts(ctx, subject).followers++
  insertGraphChange(ctx.db, { creator, subject, added: true })
  ctx.changes.push({ kind: 'follow', creator, subject })
  if (!isMember(ctx, creator)) return
  if (!isAuthor(ctx, subject)) {
    fetchAuthorOf(ctx, { member: creator, author: subject, rank: followsCountOf(ctx.db, creator) })
  }
  addPending(ctx, subject, 1)
}

/** Removes the edge of a pair whose last record is gone. */
function disconnect(ctx: IndexContext, creator: number, subject: number): void {
  actorCounts(ctx, creator).follows--
  actorCounts(ctx, subject).followers--
  insertGraphChange(ctx.db, { creator, subject, added: false })
  ctx.changes.push({ kind: 'unfollow', creator, subject })
  const isMembers = isMember(ctx, creator)
  // Only members make authors: an unfollow by any other account does not matter here.
  if (!isMembers && !isFormerMember(ctx, creator)) return
  if (isMembers) addPending(ctx, subject, -1)
  if (!isAuthor(ctx, subject)) putGcCandidate(ctx.db, GC.author, subject)
}

function addPending(ctx: IndexContext, subject: number, delta: number): void {
  const pending = ctx.pendingMemberFollowers.get(subject) ?? 0
  ctx.pendingMemberFollowers.set(subject, pending + delta)
}

/**
 * Drops a follow that is no longer needed; its creator did not delete it, so no deletion is
 * remembered.
 */
function drop(ctx: IndexContext, edge: Edge): void {
  const { uid, rkey, subject } = edge
  deleteFollow(ctx.db, edge)
  withdrawNotifications(ctx, { uid, collection: FOLLOW, rkey })
  if (!isFollowing(ctx.db, uid, subject)) disconnect(ctx, uid, subject)
  addBoth(ctx, edge)
}

function removeAll(ctx: IndexContext, uid: number): void {
  const followed = followedBy(ctx.db, uid)
  deleteFollowsOf(ctx.db, uid)
  for (const subject of followed) disconnect(ctx, uid, subject)
}

export const follow: CollectionRules = {
  put,
  remove,
  isFar: isAboutFarAccount,
  isFarUnread: isUnreadRelation,
  removeSome: removeEdges(followEdges, retract),
  removeAll,
  release: [
    dropPointers(followEdges, drop, isStoredSubject),
    dropPointedBy(followEdges, drop, isAuthor),
  ],
  storedKeys: keysOfEdges(followEdges),
  readWith: 'follows',
}
