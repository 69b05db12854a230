// app.bsky.feed.repost. Each row is a feed item of its own; as a count, several by one account on
// one post are one.

import type { PackedRkey } from '../../base/atproto/keys.ts'
import { NOTE } from '../shared-memory/note-kinds.ts'
import type { Db } from './db.ts'
import { notesOf } from './notes.ts'
import { perDatabase } from './per-database.ts'
import { deleteReactionRecord, deleteReactionRecordsOf } from './reaction-records.ts'

const REPOST = 'app.bsky.feed.repost'

export type RepostRow = {
  id: number
  uid: number
  rkey: PackedRkey
  subject: number
  cid: Buffer
  created_at: number
  indexed_at: number
  sort_at: number
}

const statements = perDatabase((db) => ({
  notes: notesOf(db),
  find: db.prepare<[number, PackedRkey], RepostRow>(
    'SELECT id, uid, rkey, subject, cid, created_at, indexed_at, sort_at FROM reposts WHERE uid = ? AND rkey = ?',
  ),
  insert: db.prepare<[Omit<RepostRow, 'id'>]>(
    `INSERT INTO reposts (uid, rkey, subject, cid, created_at, indexed_at, sort_at)
      VALUES (@uid, @rkey, @subject, @cid, @created_at, @indexed_at, @sort_at)`,
  ),
  remove: db.prepare<[number]>('DELETE FROM reposts WHERE id = ?'),
  exists: db
    .prepare<[number, number], number>(
      'SELECT 1 FROM reposts WHERE subject = ? AND uid = ? LIMIT 1',
    )
    .pluck(),
  subjects: db
    .prepare<[number], number>('SELECT DISTINCT subject FROM reposts WHERE uid = ?')
    .pluck(),
  removeAll: db.prepare<[number], number>('DELETE FROM reposts WHERE uid = ? RETURNING id').pluck(),
}))

export function findRepost(db: Db, uid: number, rkey: PackedRkey): RepostRow | undefined {
  return statements(db).find.get(uid, rkey)
}

/** @returns the new row's id. */
export function insertRepost(db: Db, row: Omit<RepostRow, 'id'>): number {
  const { insert, notes } = statements(db)
  const id = Number(insert.run(row).lastInsertRowid)
  notes.add(NOTE.repost, id)
  notes.add(NOTE.opinion, row.uid, row.subject)
  notes.add(NOTE.feed, row.uid)
  return id
}

export function deleteRepost(
  db: Db,
  { id, uid, rkey, subject }: Pick<RepostRow, 'id' | 'uid' | 'rkey' | 'subject'>,
): void {
  const { remove, notes } = statements(db)
  remove.run(id)
  deleteReactionRecord(db, { uid, collection: REPOST, rkey })
  notes.add(NOTE.repost, id)
  notes.add(NOTE.opinion, uid, subject)
  notes.add(NOTE.feed, uid)
}

export function hasReposted(db: Db, uid: number, subject: number): boolean {
  return statements(db).exists.get(subject, uid) !== undefined
}

/** Posts that this account has reposted, each once. */
export function repostedBy(db: Db, uid: number): number[] {
  return statements(db).subjects.all(uid)
}

export function deleteRepostsOf(db: Db, uid: number): void {
  const { removeAll, notes } = statements(db)
  for (const id of removeAll.all(uid)) notes.add(NOTE.repost, id)
  deleteReactionRecordsOf(db, uid, REPOST)
  notes.add(NOTE.opinions, uid)
  notes.add(NOTE.feed, uid)
}
