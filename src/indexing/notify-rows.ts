// Notifications of likes, reposts and follows made from their rows, where the event is long gone: for
// the backlog of a new member, and where one of several records that say the same was deleted and
// another stands in for it.
//
// Rows keep less than the records had, so the record that is shown is built anew, of the usual fields
// in their usual form. For nearly all clients that is the record itself. The CID is that of what is
// shown, but for reposts, whose rows have it. What came by way of another's repost is not told apart.

import { hash } from 'node:crypto'
import { encode } from '@atproto/lex-cbor'
import {
  type FollowDeed,
  followOf,
  type LikeDeed,
  likeOf,
  type OwnPost,
  presentPost,
  type RepostDeed,
  repostOf,
} from '../store/backlog-rows.ts'
import { unpackCid, unpackRkey } from '../store/keys.ts'
import type { IndexContext } from './index-context.ts'
import { FOLLOW, isTold, LIKE, POST, REPOST, tell } from './notify.ts'

type Told = { uid: number; post: OwnPost }

export function notifyOfLikeRow(ctx: IndexContext, deed: LikeDeed, { uid, post }: Told): void {
  const record = {
    $type: LIKE,
    subject: strongRef(ctx, uid, post),
    createdAt: iso(deed.created_at),
  }
  tell(ctx, {
    to: uid,
    reason: 'like',
    record: { author: deed.uid, collection: LIKE, rkey: deed.rkey, ...built(record) },
    sortAt: deed.sort_at,
    subject: { collection: POST, rkey: post.rkey },
  })
}

export function notifyOfRepostRow(ctx: IndexContext, deed: RepostDeed, { uid, post }: Told): void {
  const subject = strongRef(ctx, uid, post)
  const record = { $type: REPOST, subject, createdAt: iso(deed.created_at) }
  const key = { author: deed.uid, collection: REPOST, rkey: deed.rkey } as const
  tell(ctx, {
    to: uid,
    reason: 'repost',
    record: { ...key, cid: deed.cid, json: built(record).json },
    sortAt: deed.sort_at,
    subject: { collection: POST, rkey: post.rkey },
  })
}

export function notifyOfFollowRow(ctx: IndexContext, deed: FollowDeed, subject: number): void {
  const record = {
    $type: FOLLOW,
    subject: ctx.actors.didOf(subject),
    createdAt: iso(deed.sort_at),
  }
  tell(ctx, {
    to: subject,
    reason: 'follow',
    record: { author: deed.uid, collection: FOLLOW, rkey: deed.rkey, ...built(record) },
    sortAt: deed.sort_at,
  })
}

/** A like of this post was deleted, and its creator has another one. */
export function notifyOfOtherLike(ctx: IndexContext, uid: number, subject: number): void {
  const told = toldOf(ctx, uid, subject)
  const deed = told && likeOf(ctx.db, subject, uid)
  if (deed) notifyOfLikeRow(ctx, deed, told)
}

export function notifyOfOtherRepost(ctx: IndexContext, uid: number, subject: number): void {
  const told = toldOf(ctx, uid, subject)
  const deed = told && repostOf(ctx.db, subject, uid)
  if (deed) notifyOfRepostRow(ctx, deed, told)
}

export function notifyOfOtherFollow(ctx: IndexContext, uid: number, subject: number): void {
  const deed = isTold(ctx, subject, uid) ? followOf(ctx.db, subject, uid) : undefined
  if (deed) notifyOfFollowRow(ctx, deed, subject)
}

function toldOf(ctx: IndexContext, by: number, id: number): Told | undefined {
  const post = presentPost(ctx.db, id)
  return post && isTold(ctx, post.uid, by) ? { uid: post.uid, post } : undefined
}

function strongRef({ actors }: IndexContext, uid: number, { rkey, cid }: OwnPost) {
  return { uri: `at://${actors.didOf(uid)}/${POST}/${unpackRkey(rkey)}`, cid: unpackCid(cid) }
}

function built(record: Parameters<typeof encode>[0] & object): { cid: Buffer; json: Buffer } {
  return {
    cid: hash('sha256', encode(record), 'buffer'),
    json: Buffer.from(JSON.stringify(record)),
  }
}

function iso(ms: number): string {
  return new Date(ms).toISOString()
}
