// The log of moderation acts: actor, time and reason. Append-only, except that the oldest entries are
// eventually pruned.

import type { Db, WriteDb } from '../db.ts'
import { perDatabase } from '../per-database.ts'

export type ModerationAct = 'hide' | 'show' | 'ban' | 'allow' | 'tag' | 'untag'

type ModerationLogRow = {
  id: number
  at: number
  act: ModerationAct
  subject: string
  by: string
  reason: string
  /** '' if the act is not about a tag. */
  tag: string
}

const MAX_ENTRIES = 1_000_000

const statements = perDatabase((db) => ({
  insert: db.prepare<[Omit<ModerationLogRow, 'id'>]>(
    `INSERT INTO moderation_log (at, act, subject, by, reason, tag)
      VALUES (@at, @act, @subject, @by, @reason, @tag)`,
  ),
  prune: db.prepare<[number]>('DELETE FROM moderation_log WHERE id <= ?'),
  newest: db.prepare<[number], ModerationLogRow>(
    'SELECT id, at, act, subject, by, reason, tag FROM moderation_log ORDER BY id DESC LIMIT ?',
  ),
}))

export function addToModerationLog(db: WriteDb, entry: Omit<ModerationLogRow, 'id'>): void {
  const { insert, prune } = statements(db)
  prune.run(Number(insert.run(entry).lastInsertRowid) - MAX_ENTRIES)
}

/** Newest first. */
export function moderationLog(db: Db, limit: number): ModerationLogRow[] {
  return statements(db).newest.all(limit)
}
