// Records of the rare kinds (recordCollections), and likes of them. A row exists as soon as anything points
// at the record; `cid` is NULL while it is missing.

import { collectionCodes, type RecordCollection } from '../../../base/atproto/collections.ts'
import type { PackedRkey } from '../../../base/atproto/keys.ts'
import { INVALIDATION } from '../../shared-memory/invalidation-kinds.ts'
import type { Db, WriteDb } from '../db.ts'
import { perDatabase } from '../per-database.ts'
import { invalidationsOf } from '../transact.ts'

export type RecordKey = { uid: number; collection: number; rkey: PackedRkey }

export type RecordRow = RecordKey & {
  id: number
  cid: Buffer | null
  rev: string | null
  subject: number | null
}

type RecordContent = {
  id: number
  uid: number
  collection: number
  cid: Buffer
  rev: string | null
  record: Buffer
  created_at: number
  sort_at: number
  /** actors.uid of a verification's subject, or of the owner of an opt-out's list. */
  subject: number | null
}

/** Views of feeds, starter packs and lists are rebuilt each time; profiles show everything else. */
const NOT_IN_PROFILES = new Set<number>([
  collectionCodes['app.bsky.feed.generator'],
  collectionCodes['app.bsky.graph.starterpack'],
  collectionCodes['app.bsky.graph.referencelistoptout'],
  collectionCodes['app.bsky.actor.contentVisibilityDeclaration'],
] satisfies (typeof collectionCodes)[RecordCollection][])

const COLUMNS = 'id, uid, collection, rkey, cid, rev, subject'
const EMPTY = 'cid = NULL, record = NULL, created_at = NULL, sort_at = NULL, subject = NULL'

const statements = perDatabase((db) => ({
  invalidations: invalidationsOf(db),
  byKey: db.prepare<[number, number, PackedRkey], RecordRow>(
    `SELECT ${COLUMNS} FROM records WHERE uid = ? AND collection = ? AND rkey = ?`,
  ),
  byId: db.prepare<[number], RecordRow>(`SELECT ${COLUMNS} FROM records WHERE id = ?`),
  insertStub: db.prepare<[number, number, PackedRkey]>(
    'INSERT INTO records (uid, collection, rkey) VALUES (?, ?, ?)',
  ),
  fill: db.prepare<[RecordContent]>(
    `UPDATE records SET cid = @cid, rev = @rev, record = @record, created_at = @created_at,
      sort_at = @sort_at, subject = @subject WHERE id = @id`,
  ),
  empty: db.prepare<[string | null, number]>(
    `UPDATE records SET ${EMPTY}, rev = coalesce(?, rev) WHERE id = ?`,
  ),
  presentOf: db.prepare<[number], RecordRow>(
    `SELECT ${COLUMNS} FROM records WHERE uid = ? AND cid IS NOT NULL`,
  ),
}))

export function findRecord(db: Db, { uid, collection, rkey }: RecordKey): RecordRow | undefined {
  return statements(db).byKey.get(uid, collection, rkey)
}

export function findRecordById(db: Db, id: number): RecordRow | undefined {
  return statements(db).byId.get(id)
}

/** @returns the new row's id */
export function insertStubRecord(db: WriteDb, { uid, collection, rkey }: RecordKey): number {
  return Number(statements(db).insertStub.run(uid, collection, rkey).lastInsertRowid)
}

/** `before`: the previous subject. */
export function fillRecord(db: WriteDb, content: RecordContent, before: number | null): void {
  statements(db).fill.run(content)
  note(db, content)
  if (before !== null && before !== content.subject) note(db, { ...content, subject: before })
}

/** Removes the record; the row stays. */
export function emptyRecord(
  db: WriteDb,
  row: Pick<RecordRow, 'id' | 'uid' | 'collection' | 'subject'>,
  rev: string | null,
): void {
  statements(db).empty.run(rev, row.id)
  note(db, row)
}

export function emptyRecordsOf(db: WriteDb, uid: number): void {
  for (const row of statements(db).presentOf.all(uid)) emptyRecord(db, row, null)
}

function note(
  db: Db,
  { uid, collection, subject }: Pick<RecordRow, 'uid' | 'collection' | 'subject'>,
): void {
  const { invalidations } = statements(db)
  if (NOT_IN_PROFILES.has(collection)) invalidations.add(INVALIDATION.actorCounts, uid)
  else invalidations.add(INVALIDATION.actor, subject ?? uid)
}
