// Invite codes: each admits a number of accounts, until it is disabled or has expired.

import type { Db, WriteDb } from '../db.ts'
import { perDatabase } from '../per-database.ts'

export type InviteRow = {
  code: string
  note: string
  max_uses: number
  uses: number
  created_at: number
  expires_at: number | null
  disabled_at: number | null
}

export type InviteRequest = {
  code: string
  /** How many accounts it admits. */
  maxUses: number
  note: string
  /** Milliseconds since 1970; null: never. */
  expiresAt: number | null
}

const statements = perDatabase((db) => ({
  find: db.prepare<[string], InviteRow>('SELECT * FROM invites WHERE code = ?'),
  insert: db.prepare<[string, string, number, number, number | null]>(
    'INSERT INTO invites (code, note, max_uses, created_at, expires_at) VALUES (?, ?, ?, ?, ?)',
  ),
  disable: db.prepare<[number, string]>(
    'UPDATE invites SET disabled_at = ? WHERE code = ? AND disabled_at IS NULL',
  ),
  use: db.prepare<[string]>('UPDATE invites SET uses = uses + 1 WHERE code = ?'),
  all: db.prepare<[number], InviteRow>(
    'SELECT * FROM invites ORDER BY created_at DESC, code LIMIT ?',
  ),
  count: db.prepare<[], number>('SELECT count(*) FROM invites').pluck(),
  store: db.prepare<[InviteRow]>(
    `INSERT OR REPLACE INTO invites (code, note, max_uses, uses, created_at, expires_at, disabled_at)
      VALUES (@code, @note, @max_uses, @uses, @created_at, @expires_at, @disabled_at)`,
  ),
}))

export function findInvite(db: Db, code: string): InviteRow | undefined {
  return statements(db).find.get(code)
}

export function insertInvite(
  db: WriteDb,
  row: Pick<InviteRow, 'code' | 'note' | 'max_uses' | 'created_at' | 'expires_at'>,
): void {
  statements(db).insert.run(row.code, row.note, row.max_uses, row.created_at, row.expires_at)
}

/** @returns whether the invite existed and was not disabled before */
export function disableInvite(db: WriteDb, code: string, at: number): boolean {
  return statements(db).disable.run(at, code).changes > 0
}

export function countUse(db: WriteDb, code: string): void {
  statements(db).use.run(code)
}

/** Newest first. */
export function listInvites(db: Db, limit: number): InviteRow[] {
  return statements(db).all.all(limit)
}

export function countInvites(db: Db): number {
  return statements(db).count.get() ?? 0
}

/** Stores an invite of another node. */
export function storeInvite(db: WriteDb, row: InviteRow): void {
  statements(db).store.run(row)
}
