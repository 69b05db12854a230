// Lists by which a member mutes everyone on them: private state, which is in no repository.

import { INVALIDATION } from '../../shared-memory/invalidation-kinds.ts'
import type { Db, WriteDb } from '../db.ts'
import { perDatabase } from '../per-database.ts'
import { invalidationsOf } from '../transact.ts'

/** `createdAt` in milliseconds since 1970. */
type ListMute = { uid: number; list: number; createdAt: number }

const statements = perDatabase((db) => ({
  invalidations: invalidationsOf(db),
  insert: db.prepare<[ListMute]>(
    'INSERT OR IGNORE INTO list_mutes (uid, list, created_at) VALUES (@uid, @list, @createdAt)',
  ),
  remove: db.prepare<[number, number]>('DELETE FROM list_mutes WHERE uid = ? AND list = ?'),
  of: db.prepare<[number], Omit<ListMute, 'uid'>>(
    'SELECT list, created_at AS createdAt FROM list_mutes WHERE uid = ? ORDER BY created_at, list',
  ),
  countOf: db.prepare<[number], number>('SELECT count(*) FROM list_mutes WHERE uid = ?').pluck(),
}))

/** An existing mute keeps its time. */
export function insertListMute(db: WriteDb, mute: ListMute): void {
  const { insert, invalidations } = statements(db)
  insert.run(mute)
  invalidations.add(INVALIDATION.relations, mute.uid)
}

export function deleteListMute(db: WriteDb, uid: number, list: number): void {
  const { remove, invalidations } = statements(db)
  remove.run(uid, list)
  invalidations.add(INVALIDATION.relations, uid)
}

/** Oldest first. */
export function listMutesOf(db: Db, uid: number): Omit<ListMute, 'uid'>[] {
  return statements(db).of.all(uid)
}

export function countListMutes(db: Db, uid: number): number {
  return statements(db).countOf.get(uid) ?? 0
}
