// Builds notifications of likes, reposts and follows from rows, long after the event: for a new member's
// backlog, and when one of several equivalent records is deleted and another takes its place. Rows keep less
// than the records had. The newest records with more content are stored as written
// (data/store/records/reaction-records.ts); all others are rebuilt from the usual fields in their usual form, which
// for nearly all clients yields the record itself, with its CID.

import { recordUri } from '../../../base/atproto/at-uri.ts'
import { collectionCodes, collections } from '../../../base/atproto/collections.ts'
import { unpackCid } from '../../../base/atproto/keys.ts'
import { digestOfRecord } from '../../../base/atproto/record-cid.ts'
import { isoTime } from '../../../base/util/iso-time.ts'
import type { JsonObject } from '../../../base/util/json-object.ts'
import { likeEdges } from '../../../data/store/edges/all-edges.ts'
import {
  type FollowAct,
  followOf,
  type LikeAct,
  likeOf,
  type OwnPost,
  type OwnRecord,
  presentPost,
  type RepostAct,
  repostOf,
} from '../../../data/store/notifications/backlog-rows.ts'
import {
  type SubjectCollection,
  subjectCodes,
} from '../../../data/store/notifications/notification-subjects.ts'
import type { NotifyingRecord, RecordKey } from '../../../data/store/notifications/notifications.ts'
import {
  findReactionRecord,
  type ReactionVia,
} from '../../../data/store/records/reaction-records.ts'
import { findRepost } from '../../../data/store/records/reposts.ts'
import type { IndexContext } from '../index-context.ts'
import { FOLLOW, isNotified, LIKE, POST, REPOST, tell } from './notify.ts'

type Notified = { uid: number; post: OwnPost }
type Built = JsonObject

const LIKE_CODE = collectionCodes[LIKE]
const collectionNames = new Map(collections.map((name) => [collectionCodes[name] as number, name]))

export function notifyOfLikeRow(ctx: IndexContext, act: LikeAct, { uid, post }: Notified): void {
  const record = {
    $type: LIKE,
    subject: strongRef(ctx, uid, post),
    createdAt: isoTime(act.created_at),
  }
  tell(ctx, {
    to: uid,
    reason: 'like',
    record: notified(ctx, { author: act.uid, collection: LIKE, rkey: act.rkey }, record),
    sortAt: act.sort_at,
    subject: { collection: POST, rkey: post.rkey },
  })
}

/** Notifies of a like of a feed generator, a starter pack or a labeler. */
export function notifyOfRecordLikeRow(
  ctx: IndexContext,
  act: LikeAct,
  { uid, own }: { uid: number; own: OwnRecord },
): void {
  const collection = collectionNames.get(own.collection) as SubjectCollection | undefined
  if (!collection || !(collection in subjectCodes)) return
  const uri = recordUri(ctx.actors.didOf(uid), collection, own.rkey)
  const subject = { uri, cid: unpackCid(own.cid) }
  const record = { $type: LIKE, subject, createdAt: isoTime(act.created_at) }
  tell(ctx, {
    to: uid,
    reason: 'like',
    record: notified(ctx, { author: act.uid, collection: LIKE, rkey: act.rkey }, record),
    sortAt: Math.min(act.sort_at, ctx.now),
    subject: { collection, rkey: own.rkey },
  })
}

export function notifyOfRepostRow(
  ctx: IndexContext,
  act: RepostAct,
  { uid, post }: Notified,
): void {
  const subject = strongRef(ctx, uid, post)
  const record = { $type: REPOST, subject, createdAt: isoTime(act.created_at) }
  const key = { author: act.uid, collection: REPOST, rkey: act.rkey } as const
  tell(ctx, {
    to: uid,
    reason: 'repost',
    record: { ...notified(ctx, key, record), cid: act.cid },
    sortAt: act.sort_at,
    subject: { collection: POST, rkey: post.rkey },
  })
}

export function notifyOfFollowRow(ctx: IndexContext, act: FollowAct, subject: number): void {
  const record = {
    $type: FOLLOW,
    subject: ctx.actors.didOf(subject),
    createdAt: isoTime(act.sort_at),
  }
  tell(ctx, {
    to: subject,
    reason: 'follow',
    record: notified(ctx, { author: act.uid, collection: FOLLOW, rkey: act.rkey }, record),
    sortAt: act.sort_at,
  })
}

/** Notifies of a reaction via a repost that still exists. */
export function notifyOfReactionVia(ctx: IndexContext, reaction: ReactionVia, to: number): void {
  const { uid: author, rkey, cid, record: json, viaRkey } = reaction
  if (!findRepost(ctx.db, to, viaRkey)) return
  const isLike = reaction.collection === LIKE_CODE
  const sortAt = isLike
    ? likeEdges.find(ctx.db, author, rkey)?.sortAt
    : findRepost(ctx.db, author, rkey)?.sort_at
  if (sortAt === undefined) return
  tell(ctx, {
    to,
    reason: isLike ? 'like-via-repost' : 'repost-via-repost',
    record: { author, collection: isLike ? LIKE : REPOST, rkey, cid, json },
    sortAt,
    subject: { collection: REPOST, rkey: viaRkey },
  })
}

/** A like of this post was deleted, and its creator has another one. */
export function notifyOfOtherLike(ctx: IndexContext, uid: number, subject: number): void {
  const notified = notifiedOf(ctx, uid, subject)
  const act = notified && likeOf(ctx.db, subject, uid)
  if (act) notifyOfLikeRow(ctx, act, notified)
}

export function notifyOfOtherRepost(ctx: IndexContext, uid: number, subject: number): void {
  const notified = notifiedOf(ctx, uid, subject)
  const act = notified && repostOf(ctx.db, subject, uid)
  if (act) notifyOfRepostRow(ctx, act, notified)
}

export function notifyOfOtherFollow(ctx: IndexContext, uid: number, subject: number): void {
  const act = isNotified(ctx, subject, uid) ? followOf(ctx.db, subject, uid) : undefined
  if (act) notifyOfFollowRow(ctx, act, subject)
}

function notifiedOf(ctx: IndexContext, by: number, id: number): Notified | undefined {
  const post = presentPost(ctx.db, id)
  return post && isNotified(ctx, post.uid, by) ? { uid: post.uid, post } : undefined
}

function strongRef({ actors }: IndexContext, uid: number, { rkey, cid }: OwnPost) {
  return { uri: recordUri(actors.didOf(uid), POST, rkey), cid: unpackCid(cid) }
}

/** The record as written, if stored; otherwise `built`. */
function notified(ctx: IndexContext, key: RecordKey, built: Built): NotifyingRecord {
  const { author: uid, collection, rkey } = key
  const written = findReactionRecord(ctx.db, { uid, collection, rkey })
  if (written) return { ...key, cid: written.cid, json: written.record }
  const cid = digestOfRecord(built)
  return { ...key, cid, json: Buffer.from(JSON.stringify(built)) }
}
