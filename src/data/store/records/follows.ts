// app.bsky.graph.follow. Several records for one pair of accounts are one edge of the graph.

import { collectionCodes } from '../../../base/atproto/collections.ts'
import { INVALIDATION } from '../../shared-memory/invalidation-kinds.ts'
import type { Db, WriteDb } from '../db.ts'
import { followEdges } from '../edges/all-edges.ts'
import type { Edge } from '../edges/edge.ts'
import { deleteActArrival, deleteActArrivalsOf } from '../timelines/act-arrivals.ts'
import { invalidationsOf } from '../transact.ts'
import { deleteReactionRecord, deleteReactionRecordsOf } from './reaction-records.ts'

const FOLLOW = 'app.bsky.graph.follow'

/** A follow from an operator's list: validated DIDs, and the record key if the list has one. */
export type FollowLine = { did: string; subject: string; rkey: string | undefined }

/** Its key must be free. */
export function insertFollow(db: WriteDb, follow: Edge): void {
  followEdges.insert(db, follow)
  invalidationsOf(db).add(INVALIDATION.relation, follow.uid, follow.subject)
}

/**
 * Adds many follows of one account, whose keys must be free: half of their insertion. The other
 * half is `addToSubject` with the same records.
 *
 * @param held - as read; the account's follows must not have changed since
 */
export function addFollowsOf(
  db: WriteDb,
  uid: number,
  held: ReturnType<typeof followEdges.heldBy>,
  follows: readonly Edge[],
): void {
  followEdges.addToCreator(db, uid, held, follows)
  const invalidations = invalidationsOf(db)
  for (const { subject } of follows) invalidations.add(INVALIDATION.relation, uid, subject)
}

/** `follow` must be as it was found. */
export function deleteFollow(db: WriteDb, follow: Edge): void {
  followEdges.remove(db, follow)
  deleteReactionRecord(db, { ...follow, collection: FOLLOW })
  deleteActArrival(db, { ...follow, collection: collectionCodes[FOLLOW] })
  invalidationsOf(db).add(INVALIDATION.relation, follow.uid, follow.subject)
}

export function isFollowing(db: Db, uid: number, subject: number): boolean {
  return followEdges.has(db, uid, subject)
}

/** The distinct accounts that this account follows, ascending. */
export function followedBy(db: Db, uid: number): number[] {
  return followEdges.subjectsOf(db, uid)
}

export function deleteFollowsOf(db: WriteDb, uid: number): void {
  followEdges.removeAll(db, uid)
  deleteReactionRecordsOf(db, uid, FOLLOW)
  deleteActArrivalsOf(db, uid, collectionCodes[FOLLOW])
  invalidationsOf(db).add(INVALIDATION.relations, uid)
}
