// Threads that a member wants no notifications about: private state, which is in no repository.

import { INVALIDATION } from '../../shared-memory/invalidation-kinds.ts'
import type { Db, WriteDb } from '../db.ts'
import { perDatabase } from '../per-database.ts'
import { invalidationsOf } from '../transact.ts'

const statements = perDatabase((db) => ({
  invalidations: invalidationsOf(db),
  insert: db.prepare<[number, number, number]>(
    'INSERT OR IGNORE INTO thread_mutes (uid, root, created_at) VALUES (?, ?, ?)',
  ),
  remove: db.prepare<[number, number]>('DELETE FROM thread_mutes WHERE uid = ? AND root = ?'),
  of: db.prepare<[number], { root: number; createdAt: number }>(
    'SELECT root, created_at AS createdAt FROM thread_mutes WHERE uid = ? ORDER BY created_at, root',
  ),
  countOf: db.prepare<[number], number>('SELECT count(*) FROM thread_mutes WHERE uid = ?').pluck(),
  any: db.prepare<[number], number>('SELECT 1 FROM thread_mutes WHERE uid = ? LIMIT 1').pluck(),
  find: db
    .prepare<[number, number], number>('SELECT 1 FROM thread_mutes WHERE uid = ? AND root = ?')
    .pluck(),
}))

export function insertThreadMute(db: WriteDb, uid: number, root: number, createdAt: number): void {
  const { insert, invalidations } = statements(db)
  insert.run(uid, root, createdAt)
  // The mute is in the view of every post of the thread.
  invalidations.add(INVALIDATION.reactions, uid)
}

export function deleteThreadMute(db: WriteDb, uid: number, root: number): void {
  const { remove, invalidations } = statements(db)
  remove.run(uid, root)
  invalidations.add(INVALIDATION.reactions, uid)
}

/** Oldest first; posts.id. */
export function threadMutesOf(db: Db, uid: number): { root: number; createdAt: number }[] {
  return statements(db).of.all(uid)
}

export function hasThreadMutes(db: Db, uid: number): boolean {
  return statements(db).any.get(uid) !== undefined
}

/** @param root - posts.id */
export function isThreadMuted(db: Db, uid: number, root: number): boolean {
  return statements(db).find.get(uid, root) !== undefined
}

export function countThreadMutes(db: Db, uid: number): number {
  return statements(db).countOf.get(uid) ?? 0
}
