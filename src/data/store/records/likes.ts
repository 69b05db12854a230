// app.bsky.feed.like, for posts. Several likes by one account on one post count once.

import { collectionCodes } from '../../../base/atproto/collections.ts'
import { INVALIDATION } from '../../shared-memory/invalidation-kinds.ts'
import type { WriteDb } from '../db.ts'
import { likeEdges } from '../edges/all-edges.ts'
import type { Edge } from '../edges/edge.ts'
import { deleteActArrival, deleteActArrivalsOf } from '../timelines/act-arrivals.ts'
import { invalidationsOf } from '../transact.ts'
import { deleteReactionRecord, deleteReactionRecordsOf } from './reaction-records.ts'

const LIKE = 'app.bsky.feed.like'

/**
 * Its key must be free.
 * @returns whether the account had no like of the post
 */
export function insertLike(db: WriteDb, like: Edge): boolean {
  const isFirst = likeEdges.insert(db, like)
  invalidationsOf(db).add(INVALIDATION.reaction, like.uid, like.subject)
  return isFirst
}

/** `like` must be as it was found. */
export function deleteLike(db: WriteDb, like: Edge): void {
  likeEdges.remove(db, like)
  deleteReactionRecord(db, { ...like, collection: LIKE })
  deleteActArrival(db, { ...like, collection: collectionCodes[LIKE] })
  invalidationsOf(db).add(INVALIDATION.reaction, like.uid, like.subject)
}

export function deleteLikesOf(db: WriteDb, uid: number): void {
  likeEdges.removeAll(db, uid)
  deleteReactionRecordsOf(db, uid, LIKE)
  deleteActArrivalsOf(db, uid, collectionCodes[LIKE])
  invalidationsOf(db).add(INVALIDATION.reactions, uid)
}
