import type { Db, WriteDb } from '../db.ts'
import { perDatabase } from '../per-database.ts'

type BanRow = { did: string; at: number }

const statements = perDatabase((db) => ({
  find: db.prepare<[string], number>('SELECT 1 FROM bans WHERE did = ?').pluck(),
  insert: db.prepare<[string, number]>(
    'INSERT INTO bans (did, at) VALUES (?, ?) ON CONFLICT DO NOTHING',
  ),
  remove: db.prepare<[string]>('DELETE FROM bans WHERE did = ?'),
  newest: db.prepare<[number], BanRow>('SELECT did, at FROM bans ORDER BY at DESC, did LIMIT ?'),
}))

export function isBanned(db: Db, did: string): boolean {
  return statements(db).find.get(did) !== undefined
}

/** @returns whether the account was not banned before */
export function insertBan(db: WriteDb, did: string, at: number): boolean {
  return statements(db).insert.run(did, at).changes > 0
}

/** @returns whether the account was banned */
export function deleteBan(db: WriteDb, did: string): boolean {
  return statements(db).remove.run(did).changes > 0
}

/** Newest first. */
export function listBans(db: Db, limit: number): BanRow[] {
  return statements(db).newest.all(limit)
}
