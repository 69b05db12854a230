import { INVALIDATION } from '../../shared-memory/invalidation-kinds.ts'
import type { Db, WriteDb } from '../db.ts'
import { perDatabase } from '../per-database.ts'
import { queueActor } from '../search/queue.ts'
import { invalidationsOf } from '../transact.ts'

type ProfileRow = {
  uid: number
  cid: Buffer
  rev: string | null
  record: Buffer
  created_at: number | null
  indexed_at: number
}

const statements = perDatabase((db) => ({
  invalidations: invalidationsOf(db),
  find: db.prepare<[number], { cid: Buffer; rev: string | null }>(
    'SELECT cid, rev FROM profiles WHERE uid = ?',
  ),
  put: db.prepare<[ProfileRow]>(
    'INSERT OR REPLACE INTO profiles (uid, cid, rev, record, created_at, indexed_at) VALUES (@uid, @cid, @rev, @record, @created_at, @indexed_at)',
  ),
  remove: db.prepare<[number]>('DELETE FROM profiles WHERE uid = ?'),
}))

export function findProfile(db: Db, uid: number): { cid: Buffer; rev: string | null } | undefined {
  return statements(db).find.get(uid)
}

export function putProfile(db: WriteDb, row: ProfileRow): void {
  const { put, invalidations } = statements(db)
  put.run(row)
  queueActor(db, row.uid)
  invalidations.add(INVALIDATION.actor, row.uid)
}

export function deleteProfile(db: WriteDb, uid: number): boolean {
  const { remove, invalidations } = statements(db)
  invalidations.add(INVALIDATION.actor, uid)
  queueActor(db, uid)
  return remove.run(uid).changes > 0
}
