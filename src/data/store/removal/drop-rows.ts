// Drops rows that are no longer needed: the empty row of a post, and the data about an account besides its
// records. The account's own row stays, because its number is the same everywhere.

import { collectionCodes } from '../../../base/atproto/collections.ts'
import { INVALIDATION } from '../../shared-memory/invalidation-kinds.ts'
import { forgetSeedActorCounts } from '../counts/seed-counts.ts'
import type { WriteDb } from '../db.ts'
import { deleteFeedDepths } from '../fetching/feed-depths.ts'
import { kindsWhere } from '../fetching/job-kinds.ts'
import { perDatabase } from '../per-database.ts'
import type { PostRow } from '../posts/posts.ts'
import { queueActor } from '../search/queue.ts'
import { invalidationsOf } from '../transact.ts'

const POST = collectionCodes['app.bsky.feed.post']

const statements = perDatabase((db) => ({
  invalidations: invalidationsOf(db),
  ofPost: [
    'DELETE FROM post_counts WHERE post = ?',
    'DELETE FROM earlier_post_counts WHERE post = ?',
    'DELETE FROM op_replies WHERE root = ?',
  ].map((sql) => db.prepare<[number]>(sql)),
  postJob: db.prepare<[number]>("DELETE FROM jobs WHERE kind = 'post' AND subject = ?"),
  post: db.prepare<[number]>('DELETE FROM posts WHERE id = ?'),
  opReply: db.prepare<[number, number]>('DELETE FROM op_replies WHERE root = ? AND post = ?'),
  postLabels: db.prepare<[number, number, PostRow['rkey']]>(
    'DELETE FROM labels WHERE uid = ? AND collection = ? AND rkey = ?',
  ),
  accountLabels: db.prepare<[number]>('DELETE FROM labels WHERE uid = ?'),
  identity: db.prepare<[number]>(
    `UPDATE actors SET handle = NULL, handle_valid = 0, pds = NULL, identity_checked_at = NULL, rev = NULL
      WHERE uid = ?`,
  ),
  reads: db.prepare<[number]>(
    `DELETE FROM jobs WHERE subject = ?
      AND kind IN ${kindsWhere(({ of, isComparison }) => of === 'account' && !isComparison)}`,
  ),
  comparisons: db.prepare<[number]>(
    `DELETE FROM jobs WHERE subject = ? AND kind IN ${kindsWhere(({ isComparison }) => isComparison === true)}`,
  ),
  keyless: db.prepare<[number]>('DELETE FROM keyless_follows WHERE creator = ?'),
}))

/** Drops the row of a post that has no record and no references. */
export function dropPostRow(
  db: WriteDb,
  { id, uid, rkey }: Pick<PostRow, 'id' | 'uid' | 'rkey'>,
): void {
  const { ofPost, postJob, post, postLabels, invalidations } = statements(db)
  for (const statement of ofPost) statement.run(id)
  postJob.run(id)
  postLabels.run(uid, POST, rkey)
  post.run(id)
  invalidations.add(INVALIDATION.post, id)
  invalidations.add(INVALIDATION.counts, id)
  invalidations.add(INVALIDATION.label, uid, id)
}

/** Forgets that the thread's author wrote this post in it. */
export function dropOpReply(db: WriteDb, root: number, post: number): void {
  statements(db).opReply.run(root, post)
}

/** Drops the account's pending fetches and their progress. */
export function dropFetches(db: WriteDb, uid: number): void {
  dropReads(db, uid)
  statements(db).comparisons.run(uid)
}

/** The same without comparisons of its repository: a gap's repair waits for those to end. */
export function dropReads(db: WriteDb, uid: number): void {
  statements(db).reads.run(uid)
  deleteFeedDepths(db, uid)
}

/** Drops the identity data of an account that no row refers to. */
export function dropIdentity(db: WriteDb, uid: number): void {
  const { accountLabels, invalidations } = statements(db)
  forgetNames(db, uid)
  forgetSeedActorCounts(db, uid)
  accountLabels.run(uid)
  invalidations.add(INVALIDATION.label, uid, 0)
}

/** Drops the account's handle and server, which are looked up again if it matters again. */
export function forgetNames(db: WriteDb, uid: number): void {
  const { identity, keyless, invalidations } = statements(db)
  queueActor(db, uid)
  identity.run(uid)
  keyless.run(uid)
  invalidations.add(INVALIDATION.actor, uid)
}
