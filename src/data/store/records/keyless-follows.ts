// Follows from an imported list without record keys. Each has a key derived from its subject, which no server
// assigns and which sorts below all TIDs; the first record for the pair replaces it
// (ingest/indexing/collections/follow.ts). Its time is unknown and set older than any record's. Also stores
// recently unfollowed pairs: tombstones name only record keys, and a list without keys must not restore a
// follow that the stream has just removed.

import type { PackedRkey } from '../../../base/atproto/keys.ts'
import type { Db, WriteDb } from '../db.ts'
import { perDatabase } from '../per-database.ts'

/** Before the first record ever. */
export const KEYLESS_SORT_AT = Date.UTC(2022, 0, 1)

const PREFIX = '-'
const RADIX = 36

const statements = perDatabase((db) => ({
  mark: db.prepare<[number]>('INSERT OR IGNORE INTO keyless_follows (creator) VALUES (?)'),
  unmark: db.prepare<[number]>('DELETE FROM keyless_follows WHERE creator = ?'),
  hasAny: db.prepare<[number], number>('SELECT 1 FROM keyless_follows WHERE creator = ?').pluck(),
  part: db.prepare<[number, number, number]>(
    'INSERT OR REPLACE INTO unfollows (creator, subject, at) VALUES (?, ?, ?)',
  ),
  isApart: db
    .prepare<[number, number], number>('SELECT 1 FROM unfollows WHERE creator = ? AND subject = ?')
    .pluck(),
  prune: db.prepare<[number, number]>(
    `DELETE FROM unfollows WHERE (creator, subject) IN
      (SELECT creator, subject FROM unfollows WHERE at < +? LIMIT +?)`,
  ),
}))

export function keylessRkey(subject: number): PackedRkey {
  return PREFIX + subject.toString(RADIX)
}

export function isKeyless(rkey: PackedRkey): boolean {
  return typeof rkey === 'string' && rkey.startsWith(PREFIX)
}

export function markKeyless(db: WriteDb, creator: number): void {
  statements(db).mark.run(creator)
}

/** Whether the account may have follows without keys. */
export function hasKeyless(db: Db, creator: number): boolean {
  return statements(db).hasAny.get(creator) !== undefined
}

/** For an account whose whole list is being read, which settles it. */
export function unmarkKeyless(db: WriteDb, creator: number): void {
  statements(db).unmark.run(creator)
}

/** Called when the last record of the pair is removed; `at` by our clock. */
export function putUnfollow(db: WriteDb, creator: number, subject: number, at: number): void {
  statements(db).part.run(creator, subject, at)
}

export function isUnfollowed(db: Db, creator: number, subject: number): boolean {
  return statements(db).isApart.get(creator, subject) !== undefined
}

/** @returns how many were deleted */
export function pruneUnfollows(db: WriteDb, before: number, limit: number): number {
  return statements(db).prune.run(before, limit).changes
}
