// The moderators' tags on accounts, profiles and posts. Written by ingest/indexing/moderation/moderation.ts.

import { INVALIDATION } from '../../shared-memory/invalidation-kinds.ts'
import type { Db, WriteDb } from '../db.ts'
import { perDatabase } from '../per-database.ts'
import { invalidationsOf } from '../transact.ts'
import type { TakedownSubject } from './takedowns.ts'

type TagRow = { subject: string; tag: string; at: number }
type NewTag = TakedownSubject & { tag: string; uid: number; at: number }

const statements = perDatabase((db) => ({
  put: db.prepare(
    `INSERT INTO moderation_tags (subject, tag, uid, collection, rkey, at)
      VALUES (@subject, @tag, @uid, @collection, @rkey, @at) ON CONFLICT DO NOTHING`,
  ),
  remove: db
    .prepare<[string, string], number>(
      'DELETE FROM moderation_tags WHERE subject = ? AND tag = ? RETURNING uid',
    )
    .pluck(),
  newest: db.prepare<[number], TagRow>(
    'SELECT subject, tag, at FROM moderation_tags ORDER BY at DESC, subject, tag LIMIT ?',
  ),
  find: db
    .prepare<[string, string], number>(
      'SELECT 1 FROM moderation_tags WHERE subject = ? AND tag = ?',
    )
    .pluck(),
  count: db.prepare<[], number>('SELECT count(*) FROM moderation_tags').pluck(),
}))

/** @returns whether the tag was new */
export function putTag(db: WriteDb, row: NewTag): boolean {
  const isNew = statements(db).put.run(row).changes > 0
  if (isNew) invalidationsOf(db).add(INVALIDATION.actor, row.uid)
  return isNew
}

/** @returns whether it had the tag */
export function deleteTag(db: WriteDb, subject: string, tag: string): boolean {
  const uid = statements(db).remove.get(subject, tag)
  if (uid !== undefined) invalidationsOf(db).add(INVALIDATION.actor, uid)
  return uid !== undefined
}

/** Newest first. */
export function listTags(db: Db, limit: number): TagRow[] {
  return statements(db).newest.all(limit)
}

export function countTags(db: Db): number {
  return statements(db).count.get() ?? 0
}

export function hasTag(db: Db, subject: string, tag: string): boolean {
  return statements(db).find.get(subject, tag) !== undefined
}
