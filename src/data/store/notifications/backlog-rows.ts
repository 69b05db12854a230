// Events of an account from before it became a member, as far as rows show them: for the backlog of its
// notifications.

import type { PackedRkey } from '../../../base/atproto/keys.ts'
import type { Db } from '../db.ts'
import { followEdges, likeEdges } from '../edges/all-edges.ts'
import type { Edge } from '../edges/edge.ts'
import { NEWEST } from '../edges/subject-lists.ts'
import { perDatabase } from '../per-database.ts'
import type { PostRow } from '../posts/posts.ts'
import { isKeyless } from '../records/keyless-follows.ts'

export type OwnPost = { id: number; rkey: PackedRkey; cid: Buffer }

export type LikeAct = { uid: number; rkey: PackedRkey; created_at: number; sort_at: number }

export type RepostAct = LikeAct & { cid: Buffer }

export type FollowAct = { uid: number; rkey: PackedRkey; sort_at: number }

/** A record of the account other than a post that can be liked. */
export type OwnRecord = { id: number; collection: number; rkey: PackedRkey; cid: Buffer }

type Quote = Pick<PostRow, 'uid' | 'rkey' | 'sort_at' | 'flags'>

const statements = perDatabase((db) => ({
  ownPosts: db.prepare<[number, number], OwnPost>(
    `SELECT id, rkey, cid FROM posts WHERE uid = +? AND state = 1 ORDER BY sort_at DESC LIMIT +?`,
  ),
  postWithId: db.prepare<[number], OwnPost & { uid: number }>(
    'SELECT id, uid, rkey, cid FROM posts WHERE id = ? AND state = 1',
  ),
  reposts: db.prepare<[number, number], RepostAct>(
    'SELECT uid, rkey, cid, created_at, sort_at FROM reposts WHERE subject = +? LIMIT +?',
  ),
  repostOf: db.prepare<[number, number], RepostAct>(
    'SELECT uid, rkey, cid, created_at, sort_at FROM reposts WHERE subject = ? AND uid = ? LIMIT 1',
  ),
  ownRecords: db.prepare<[number, number], OwnRecord>(
    `SELECT id, collection, rkey, cid FROM records
      WHERE uid = ? AND cid IS NOT NULL AND likes > 0 ORDER BY likes DESC LIMIT ?`,
  ),
  recordLikes: db.prepare<[number, number], LikeAct>(
    `SELECT uid, rkey, created_at, created_at AS sort_at FROM record_likes
      WHERE subject = ? ORDER BY created_at DESC LIMIT ?`,
  ),
  quotes: db.prepare<[number, number], Quote>(
    'SELECT uid, rkey, sort_at, flags FROM posts WHERE quote = +? AND state = 1 LIMIT +?',
  ),
}))

/** Newest first. */
export function newestPosts(db: Db, uid: number, limit: number): OwnPost[] {
  return statements(db).ownPosts.all(uid, limit)
}

/** Undefined if its record is missing. */
export function presentPost(db: Db, id: number): (OwnPost & { uid: number }) | undefined {
  return statements(db).postWithId.get(id)
}

/** The newest likes, oldest first: of several by one account the first counts. */
export function likesOf(db: Db, post: number, limit: number): LikeAct[] {
  return likeEdges.newest(db, post, NEWEST, limit).map(toAct).reverse()
}

/** One of the account's likes of the post. */
export function likeOf(db: Db, post: number, uid: number): LikeAct | undefined {
  const like = likeEdges.findPair(db, uid, post)
  return like && toAct(like)
}

export function repostsOf(db: Db, post: number, limit: number): RepostAct[] {
  return statements(db).reposts.all(post, limit)
}

export function repostOf(db: Db, post: number, uid: number): RepostAct | undefined {
  return statements(db).repostOf.get(post, uid)
}

/** Most liked first. */
export function likedRecordsOf(db: Db, uid: number, limit: number): OwnRecord[] {
  return statements(db).ownRecords.all(uid, limit)
}

/** The newest likes, oldest first. */
export function likesOfRecord(db: Db, id: number, limit: number): LikeAct[] {
  return statements(db).recordLikes.all(id, limit).reverse()
}

export function quotesOf(db: Db, post: number, limit: number): Quote[] {
  return statements(db).quotes.all(post, limit)
}

/** Newest first; skips imported ones that name no record. */
export function followsOfAccount(db: Db, subject: number, limit: number): FollowAct[] {
  const edges = followEdges.newest(db, subject, NEWEST, limit)
  return edges.filter(({ rkey }) => !isKeyless(rkey)).map(toAct)
}

export function followOf(db: Db, subject: number, uid: number): FollowAct | undefined {
  const follow = followEdges.findPair(db, uid, subject)
  return follow && !isKeyless(follow.rkey) ? toAct(follow) : undefined
}

function toAct({ uid, rkey, sortAt, createdAt }: Edge): LikeAct {
  return { uid, rkey, created_at: createdAt, sort_at: sortAt }
}
