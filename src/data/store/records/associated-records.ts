// Versions of records that posts' link cards name (migrations/067-associated-records.ts), and which post names which.
// A row is a stub until this version arrives, and goes with the last post that names it.

import type { PackedRkey } from '../../../base/atproto/keys.ts'
import { INVALIDATION } from '../../shared-memory/invalidation-kinds.ts'
import type { Db, WriteDb } from '../db.ts'
import { perDatabase } from '../per-database.ts'
import { packRecord } from '../posts/record-bytes.ts'
import { GC, putGcCandidate } from '../removal/gc-candidates.ts'
import { invalidationsOf } from '../transact.ts'

type Key = { uid: number; collection: number; rkey: PackedRkey }

/** One version of a record. */
export type AssociatedVersion = Key & { cid: Buffer }

export type AssociatedRow = AssociatedVersion & {
  id: number
  rev: string | null
  isHere: 0 | 1
  /** Milliseconds since 1970. */
  missed_at: number | null
}

const COLUMNS = 'r.id, uid, collection, rkey, cid, rev, r.record IS NOT NULL AS isHere, missed_at'

const statements = perDatabase((db) => ({
  invalidations: invalidationsOf(db),
  byVersion: db.prepare<[number, number, PackedRkey, Buffer], AssociatedRow>(
    `SELECT ${COLUMNS} FROM associated_records r WHERE uid = ? AND collection = ? AND rkey = ? AND cid = ?`,
  ),
  byKey: db.prepare<[number, number, PackedRkey], AssociatedRow>(
    `SELECT ${COLUMNS} FROM associated_records r WHERE uid = ? AND collection = ? AND rkey = ?`,
  ),
  byId: db.prepare<[number], AssociatedRow>(
    `SELECT ${COLUMNS} FROM associated_records r WHERE id = ?`,
  ),
  ofPost: db.prepare<[number], AssociatedRow>(
    `SELECT ${COLUMNS} FROM post_associations a JOIN associated_records r ON r.id = a.record
      WHERE a.post = ?`,
  ),
  hereOf: db.prepare<[number, number], AssociatedRow>(
    `SELECT ${COLUMNS} FROM associated_records r WHERE uid = ? AND collection = ? AND r.record IS NOT NULL`,
  ),
  insert: db.prepare<[number, number, PackedRkey, Buffer]>(
    'INSERT INTO associated_records (uid, collection, rkey, cid) VALUES (?, ?, ?, ?)',
  ),
  fill: db.prepare<[string | null, Buffer, string, number]>(
    'UPDATE associated_records SET rev = ?, record = ?, card = ?, missed_at = NULL WHERE id = ?',
  ),
  empty: db.prepare<[string | null, number]>(
    'UPDATE associated_records SET rev = coalesce(?, rev), record = NULL, card = NULL WHERE id = ?',
  ),
  miss: db.prepare<[number, number]>('UPDATE associated_records SET missed_at = ? WHERE id = ?'),
  associate: db.prepare<[number, number]>(
    'INSERT INTO post_associations (post, record) VALUES (?, ?) ON CONFLICT DO NOTHING',
  ),
  part: db.prepare<[number, number]>('DELETE FROM post_associations WHERE post = ? AND record = ?'),
  isNamed: db
    .prepare<[number], number>('SELECT 1 FROM post_associations WHERE record = ? LIMIT 1')
    .pluck(),
  drop: db.prepare<[number]>('DELETE FROM associated_records WHERE id = ?'),
  dropJob: db.prepare<[number]>("DELETE FROM jobs WHERE kind = 'associated' AND subject = ?"),
}))

export function findAssociated(db: Db, of: AssociatedVersion): AssociatedRow | undefined {
  return statements(db).byVersion.get(of.uid, of.collection, of.rkey, of.cid)
}

export function findAssociatedById(db: Db, id: number): AssociatedRow | undefined {
  return statements(db).byId.get(id)
}

/** All versions of a record that posts name, here or not. */
export function versionsOf(db: Db, { uid, collection, rkey }: Key): AssociatedRow[] {
  return statements(db).byKey.all(uid, collection, rkey)
}

/** Those that are here, of an account's records in a collection. */
export function associatedHere(db: Db, uid: number, collection: number): AssociatedRow[] {
  return statements(db).hereOf.all(uid, collection)
}

export function associatedWithPost(db: Db, post: number): AssociatedRow[] {
  return statements(db).ofPost.all(post)
}

/** Makes these versions, and no others, those that the post names; new ones are stubs. */
export function associate(db: WriteDb, post: number, versions: readonly AssociatedVersion[]): void {
  const { invalidations, insert, associate: add, part } = statements(db)
  const before = associatedWithPost(db, post)
  const after = new Set<number>()
  invalidations.add(INVALIDATION.post, post)
  for (const version of versions) {
    const { uid, collection, rkey, cid } = version
    const row = findAssociated(db, version)
    const id = row?.id ?? Number(insert.run(uid, collection, rkey, cid).lastInsertRowid)
    if (!row) invalidations.add(INVALIDATION.associated, id)
    after.add(id)
    add.run(post, id)
  }
  for (const row of before) {
    if (after.has(row.id)) continue
    part.run(post, row.id)
    dropUnnamed(db, row)
  }
}

/** Called when the post's record is removed. */
export function dissociate(db: WriteDb, post: number): void {
  const { invalidations, part } = statements(db)
  for (const row of associatedWithPost(db, post)) {
    invalidations.add(INVALIDATION.post, post)
    part.run(post, row.id)
    dropUnnamed(db, row)
  }
}

function dropUnnamed(db: WriteDb, { id, uid }: AssociatedRow): void {
  const { invalidations, isNamed, drop, dropJob } = statements(db)
  if (isNamed.get(id) !== undefined) return
  drop.run(id)
  invalidations.add(INVALIDATION.associated, id)
  dropJob.run(id)
  putGcCandidate(db, GC.account, uid)
}

/** `record`: its JSON as received; `card`: what cards show of it, as JSON. */
export function fillAssociated(
  db: WriteDb,
  id: number,
  of: { rev: string | null; record: Buffer; card: string },
): void {
  const { invalidations, fill } = statements(db)
  fill.run(of.rev, packRecord(of.record), of.card, id)
  invalidations.add(INVALIDATION.associated, id)
}

/** Removes the record; the row stays a stub. */
export function emptyAssociated(db: WriteDb, id: number, rev: string | null): void {
  const { invalidations, empty } = statements(db)
  empty.run(rev, id)
  invalidations.add(INVALIDATION.associated, id)
}

/** Notes that the account's server does not have this version; `at`: milliseconds since 1970. */
export function missAssociated(db: WriteDb, id: number, at: number): void {
  statements(db).miss.run(at, id)
}
