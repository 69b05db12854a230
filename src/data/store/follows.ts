// app.bsky.graph.follow. Several records for one pair of accounts are one edge of the graph.

import type { PackedRkey } from '../../base/atproto/keys.ts'
import { NOTE } from '../shared-memory/note-kinds.ts'
import type { Db } from './db.ts'
import { followEdges } from './edges/all-edges.ts'
import type { Edge } from './edges/edge.ts'
import { notesOf } from './notes.ts'
import { deleteReactionRecord, deleteReactionRecordsOf } from './reaction-records.ts'

const FOLLOW = 'app.bsky.graph.follow'

/** A follow from an operator's list: checked DIDs, and the record key where the list has one. */
export type FollowLine = { did: string; subject: string; rkey: string | undefined }

export function findFollow(db: Db, uid: number, rkey: PackedRkey): Edge | undefined {
  return followEdges.find(db, uid, rkey)
}

/** Its key must be free. */
export function insertFollow(db: Db, follow: Edge): void {
  followEdges.insert(db, follow)
  notesOf(db).add(NOTE.tie, follow.uid, follow.subject)
}

/** As it was found. */
export function deleteFollow(db: Db, follow: Edge): void {
  followEdges.remove(db, follow)
  deleteReactionRecord(db, { ...follow, collection: FOLLOW })
  notesOf(db).add(NOTE.tie, follow.uid, follow.subject)
}

export function isFollowing(db: Db, uid: number, subject: number): boolean {
  return followEdges.has(db, uid, subject)
}

/** Whom this account follows, each once, ascending. */
export function followedBy(db: Db, uid: number): number[] {
  return followEdges.subjectsOf(db, uid)
}

export function deleteFollowsOf(db: Db, uid: number): void {
  followEdges.removeAll(db, uid)
  deleteReactionRecordsOf(db, uid, FOLLOW)
  notesOf(db).add(NOTE.ties, uid)
}

/** Whom each account follows, each account once. The connection is busy meanwhile. */
export function followLists(db: Db): Iterable<[creator: number, subjects: Uint32Array]> {
  return followEdges.lists(db)
}
