// Members' drafts of posts: private state, which is in no repository. Pictures stay on the device that took
// them; a draft only names them.

import type { Db, WriteDb } from '../db.ts'
import { perDatabase } from '../per-database.ts'
import { idList } from '../read/id-list.ts'

export type Draft = {
  uid: number
  /** A TID that we choose. */
  id: string
  /** app.bsky.draft.defs#draft as JSON. */
  draft: string
  /** Milliseconds since 1970. */
  createdAt: number
  updatedAt: number
}

export type DraftPosition = { updatedAt: number; id: string }

const COLUMNS = 'id, draft, created_at AS createdAt, updated_at AS updatedAt'

const statements = perDatabase((db) => ({
  insert: db.prepare<[Draft]>(
    `INSERT OR IGNORE INTO drafts (uid, id, draft, created_at, updated_at)
      VALUES (@uid, @id, @draft, @createdAt, @updatedAt)`,
  ),
  update: db.prepare<[Omit<Draft, 'createdAt'>]>(
    'UPDATE drafts SET draft = @draft, updated_at = @updatedAt WHERE uid = @uid AND id = @id',
  ),
  remove: db.prepare<[number, string]>('DELETE FROM drafts WHERE uid = ? AND id = ?'),
  page: db.prepare<[{ uid: number; limit: number } & DraftPosition], Omit<Draft, 'uid'>>(
    `SELECT ${COLUMNS} FROM drafts WHERE uid = @uid AND (updated_at, id) < (@updatedAt, @id)
      ORDER BY updated_at DESC, id DESC LIMIT @limit`,
  ),
  of: db.prepare<[number], Omit<Draft, 'uid'>>(
    `SELECT ${COLUMNS} FROM drafts WHERE uid = ? ORDER BY created_at, id`,
  ),
  countOf: db.prepare<[number], number>('SELECT count(*) FROM drafts WHERE uid = ?').pluck(),
  countOfEach: db.prepare<[string], { uid: number; count: number }>(
    `SELECT d.uid, count(*) AS count FROM json_each(?) ids CROSS JOIN drafts d ON d.uid = ids.value
      GROUP BY d.uid`,
  ),
  bytesOf: db
    .prepare<[number, string], number>(
      'SELECT coalesce(sum(octet_length(draft)), 0) FROM drafts WHERE uid = ? AND id <> ?',
    )
    .pluck(),
}))

/** An existing draft stays unchanged. */
export function insertDraft(db: WriteDb, draft: Draft): void {
  statements(db).insert.run(draft)
}

/** No-op if there is no such draft. */
export function updateDraft(db: WriteDb, draft: Omit<Draft, 'createdAt'>): void {
  statements(db).update.run(draft)
}

export function deleteDraft(db: WriteDb, uid: number, id: string): void {
  statements(db).remove.run(uid, id)
}

/** Drafts below a place, latest change first. */
export function draftsBelow(
  db: Db,
  request: { uid: number; limit: number } & DraftPosition,
): Omit<Draft, 'uid'>[] {
  return statements(db).page.all(request)
}

/** Oldest first. */
export function draftsOf(db: Db, uid: number): Omit<Draft, 'uid'>[] {
  return statements(db).of.all(uid)
}

export function countDrafts(db: Db, uid: number): number {
  return statements(db).countOf.get(uid) ?? 0
}

/** Per account; accounts without drafts are omitted. */
export function draftCounts(db: Db, uids: Iterable<number>): Map<number, number> {
  const rows = statements(db).countOfEach.all(idList(uids))
  return new Map(rows.map(({ uid, count }) => [uid, count]))
}

/** Bytes of all drafts except this one. */
export function draftBytes(db: Db, uid: number, butId = ''): number {
  return statements(db).bytesOf.get(uid, butId) ?? 0
}
