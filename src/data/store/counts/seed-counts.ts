// Counts from before we started counting, from a public AppView: stored apart from our own counts
// (post-counts.ts, actors.ts) and shown in addition. Events from before the AppView was asked that are
// applied here only later (a listing, a replay, a stream that was behind) are already in its counts: they are
// subtracted when they are counted here. For this to balance, our excess is stored as a negative number; none
// is shown.

import { INVALIDATION } from '../../shared-memory/invalidation-kinds.ts'
import type { Db, WriteDb } from '../db.ts'
import { perDatabase } from '../per-database.ts'
import type { PostCounts } from '../posts/post-counts.ts'
import type { ActorCounts } from '../records/actors.ts'
import { invalidationsOf } from '../transact.ts'

const statements = perDatabase((db) => ({
  invalidations: invalidationsOf(db),
  putPost: db.prepare<[PostCounts & { post: number; askedAt: number }]>(
    `INSERT OR REPLACE INTO earlier_post_counts (post, likes, reposts, replies, quotes, asked_at)
      SELECT p.post, :likes - coalesce(c.likes, 0), :reposts - coalesce(c.reposts, 0),
        :replies - coalesce(c.replies, 0), :quotes - coalesce(c.quotes, 0), :askedAt
      FROM (SELECT :post AS post) p LEFT JOIN post_counts c ON c.post = p.post`,
  ),
  putActor: db.prepare<[ActorCounts & { uid: number; askedAt: number }]>(
    `INSERT OR REPLACE INTO earlier_actor_counts (uid, follows, followers, posts, asked_at)
      SELECT a.uid, CASE WHEN f.uid IS NULL THEN :follows - a.follows_count ELSE 0 END,
        :followers - a.followers_count, :posts - a.posts_count, :askedAt
      FROM actors a LEFT JOIN backfills f ON f.uid = a.uid AND f.what = 'follows' WHERE a.uid = :uid`,
  ),
  postAskedAt: db
    .prepare<[number], number>('SELECT asked_at FROM earlier_post_counts WHERE post = ?')
    .pluck(),
  actorAskedAt: db
    .prepare<[number], number>('SELECT asked_at FROM earlier_actor_counts WHERE uid = ?')
    .pluck(),
  forgetPost: db.prepare<[number]>('DELETE FROM earlier_post_counts WHERE post = ?'),
  forgetActor: db.prepare<[number]>('DELETE FROM earlier_actor_counts WHERE uid = ?'),
  takePost: db.prepare<[PostCounts & { post: number }]>(
    `UPDATE earlier_post_counts SET likes = likes - :likes, reposts = reposts - :reposts,
      replies = replies - :replies, quotes = quotes - :quotes WHERE post = :post`,
  ),
  takeActor: db.prepare<[ActorCounts & { uid: number }]>(
    `UPDATE earlier_actor_counts SET follows = follows - :follows,
      followers = followers - :followers, posts = posts - :posts WHERE uid = :uid`,
  ),
}))

/**
 * Stores how much their counts exceed ours now, or fall short.
 * @param askedAt - milliseconds
 */
export function putSeedPostCounts(
  db: WriteDb,
  post: number,
  { theirs, askedAt }: { theirs: PostCounts; askedAt: number },
): void {
  const { putPost, invalidations } = statements(db)
  putPost.run({ ...theirs, post, askedAt })
  invalidations.add(INVALIDATION.counts, post)
}

/**
 * The same for an account; if its follow list was read whole, only our own count of follows is
 * used.
 */
export function putSeedActorCounts(
  db: WriteDb,
  uid: number,
  { theirs, askedAt }: { theirs: ActorCounts; askedAt: number },
): void {
  const { putActor, invalidations } = statements(db)
  putActor.run({ ...theirs, uid, askedAt })
  invalidations.add(INVALIDATION.actorCounts, uid)
}

/** Whether the AppView was asked for the post's counts after this moment, in milliseconds. */
export function wasPostRequestedAfter(db: Db, post: number, at: number): boolean {
  return (statements(db).postAskedAt.get(post) ?? -1) > at
}

export function wasActorRequestedAfter(db: Db, uid: number, at: number): boolean {
  return (statements(db).actorAskedAt.get(uid) ?? -1) > at
}

/** Subtracts counts that are now in our own. */
export function takeSeedPostCounts(db: WriteDb, post: number, counted: PostCounts): void {
  const { takePost, invalidations } = statements(db)
  takePost.run({ ...counted, post })
  invalidations.add(INVALIDATION.counts, post)
}

export function takeSeedActorCounts(db: WriteDb, uid: number, counted: ActorCounts): void {
  const { takeActor, invalidations } = statements(db)
  takeActor.run({ ...counted, uid })
  invalidations.add(INVALIDATION.actorCounts, uid)
}

export function forgetSeedPostCounts(db: WriteDb, post: number): void {
  const { forgetPost, invalidations } = statements(db)
  if (forgetPost.run(post).changes > 0) invalidations.add(INVALIDATION.counts, post)
}

export function forgetSeedActorCounts(db: WriteDb, uid: number): void {
  const { forgetActor, invalidations } = statements(db)
  if (forgetActor.run(uid).changes > 0) invalidations.add(INVALIDATION.actorCounts, uid)
}

/** Drops all of them, so that nothing depends on an AppView any more. */
export function forgetAllSeedCounts(db: WriteDb): void {
  const { changes: posts } = db.prepare('DELETE FROM earlier_post_counts').run()
  const { changes: actors } = db.prepare('DELETE FROM earlier_actor_counts').run()
  if (posts + actors > 0) statements(db).invalidations.addEverything()
}
