// Accounts and posts that may no longer be needed, in the order of examination: kinds that remove rows come
// before kinds that only check the remaining ones.

import type { PackedRkey } from '../../../base/atproto/keys.ts'
import type { Db, WriteDb } from '../db.ts'
import { perDatabase } from '../per-database.ts'

export const GC = {
  /** (uid) No longer a member. */
  member: 1,
  /** (uid) No longer followed by any member, or a former member. */
  author: 2,
  /** (post) No longer kept for its own sake: its reactions are examined. */
  around: 3,
  /** (post) A row that pointed at it was removed. */
  post: 4,
  /** (uid) A row of the account was removed: do others still refer to it? */
  account: 5,
  /** (uid) An account that kept this account's lists here is gone: are they still needed? */
  lists: 6,
} as const

/** Position of a paged walk: a record key, a number, or two of them. */
export type Reached = PackedRkey | number

type GcCandidateKind = (typeof GC)[keyof typeof GC]

/** `reached`: where the step continues, in the step's own format; null at its beginning. */
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

/** Starts from the beginning, even if the candidate is being examined. */
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

/** Stores where the step continues. */
export function setGcReached(db: WriteDb, { kind, id, step, reached }: GcCandidate): void {
  statements(db).reach.run(step, reached, kind, id)
}

export function removeGcCandidate(db: WriteDb, kind: GcCandidateKind, id: number): void {
  statements(db).remove.run(kind, id)
}
