// Accounts and posts that may be needed by nobody any more, in the order in which they are looked at:
// whatever takes something away comes before what is asked only about what is left.

import type { PackedRkey } from '../../base/atproto/keys.ts'
import type { Db, WriteDb } from './db.ts'
import { perDatabase } from './per-database.ts'

export const GC = {
  /** (uid) Reads here no more. */
  member: 1,
  /** (uid) Is followed by no member any more, or was read here. */
  author: 2,
  /** (post) Is not kept for what it is any more: who reacted to it? */
  around: 3,
  /** (post) Something that pointed at it went. */
  post: 4,
  /** (uid) Something of the account's went: is it known for anything else? */
  account: 5,
  /** (uid) Who was here for the account's lists went: what are they kept for? */
  lists: 6,
} as const

/** A place in a page by page walk: a record key, a number, or two of them. */
export type Reached = PackedRkey | number

type GcCandidateKind = (typeof GC)[keyof typeof GC]

/** `reached`: where the step goes on, as the step itself wrote it down; null at its beginning. */
export type GcCandidate = {
  kind: GcCandidateKind
  id: number
  step: number
  reached: Reached | null
}

const statements = perDatabase((db) => ({
  put: db.prepare<[number, number]>(
    `INSERT INTO doubts (kind, id) VALUES (?, ?)
      ON CONFLICT DO UPDATE SET step = 0, reached = NULL`,
  ),
  next: db.prepare<[], GcCandidate>('SELECT kind, id, step, reached FROM doubts LIMIT 1'),
  reach: db.prepare<[number, Reached | null, number, number]>(
    'UPDATE doubts SET step = ?, reached = ? WHERE kind = ? AND id = ?',
  ),
  remove: db.prepare<[number, number]>('DELETE FROM doubts WHERE kind = ? AND id = ?'),
  find: db.prepare<[number, number], GcCandidate>(
    'SELECT kind, id, step, reached FROM doubts WHERE kind = ? AND id = ?',
  ),
}))

/** From the beginning, also where it is being looked at. */
export function putGcCandidate(db: WriteDb, kind: GcCandidateKind, id: number): void {
  statements(db).put.run(kind, id)
}

export function nextGcCandidate(db: Db): GcCandidate | undefined {
  return statements(db).next.get()
}

export function findGcCandidate(
  db: Db,
  kind: GcCandidateKind,
  id: number,
): GcCandidate | undefined {
  return statements(db).find.get(kind, id)
}

/** It goes on there. */
export function setGcReached(db: WriteDb, { kind, id, step, reached }: GcCandidate): void {
  statements(db).reach.run(step, reached, kind, id)
}

export function removeGcCandidate(db: WriteDb, kind: GcCandidateKind, id: number): void {
  statements(db).remove.run(kind, id)
}
