// Accounts that a member has muted, and the scope of each mute: private state, which is in no repository.

import { INVALIDATION } from '../../shared-memory/invalidation-kinds.ts'
import type { Db, WriteDb } from '../db.ts'
import { perDatabase } from '../per-database.ts'
import { idList } from '../read/id-list.ts'
import { invalidationsOf } from '../transact.ts'

/** Scope bits; 0 mutes everything. */
export const ONLY_REPOSTS = 1
export const ONLY_QUOTE_POSTS = 2

type Mute = {
  uid: number
  subject: number
  scope: number
  /** Milliseconds since 1970. */
  createdAt: number
}

const statements = perDatabase((db) => ({
  invalidations: invalidationsOf(db),
  put: db.prepare<[Mute]>(
    `INSERT INTO mutes (uid, subject, scope, created_at) VALUES (@uid, @subject, @scope, @createdAt)
      ON CONFLICT DO UPDATE SET scope = excluded.scope`,
  ),
  remove: db.prepare<[number, number]>('DELETE FROM mutes WHERE uid = ? AND subject = ?'),
  countOf: db.prepare<[number], number>('SELECT count(*) FROM mutes WHERE uid = ?').pluck(),
  scopes: db.prepare<[string, number], { subject: number; scope: number }>(
    `SELECT m.subject, m.scope FROM json_each(?) ids
      CROSS JOIN mutes m ON m.uid = ? AND m.subject = ids.value`,
  ),
  of: db.prepare<[number], Omit<Mute, 'uid'>>(
    'SELECT subject, scope, created_at AS createdAt FROM mutes WHERE uid = ? ORDER BY created_at, subject',
  ),
}))

/** As in the reference, a second mute replaces the scope of the first and keeps its time. */
export function putMute(db: WriteDb, mute: Mute): void {
  const { put, invalidations } = statements(db)
  put.run(mute)
  invalidations.add(INVALIDATION.relation, mute.uid, mute.subject)
}

export function deleteMute(db: WriteDb, uid: number, subject: number): void {
  const { remove, invalidations } = statements(db)
  remove.run(uid, subject)
  invalidations.add(INVALIDATION.relation, uid, subject)
}

/** Oldest first. */
export function mutesOf(db: Db, uid: number): Omit<Mute, 'uid'>[] {
  return statements(db).of.all(uid)
}

/** By account; accounts without a mute are omitted. */
export function muteScopes(db: Db, uid: number, subjects: Iterable<number>): Map<number, number> {
  const rows = statements(db).scopes.all(idList(subjects), uid)
  return new Map(rows.map(({ subject, scope }) => [subject, scope]))
}

export function countMutes(db: Db, uid: number): number {
  return statements(db).countOf.get(uid) ?? 0
}
