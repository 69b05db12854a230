// Who reads here.

import type { Db } from './db.ts'
import { perDatabase } from './per-database.ts'

export type MemberRow = { uid: number; joined_at: number; last_seen_at: number | null }

const statements = perDatabase((db) => ({
  find: db.prepare<[number], MemberRow>(
    'SELECT uid, joined_at, last_seen_at FROM members WHERE uid = ?',
  ),
  insert: db.prepare<[number, number, number | null]>(
    'INSERT INTO members (uid, joined_at, last_seen_at) VALUES (?, ?, ?)',
  ),
  seen: db.prepare<[number, number]>('UPDATE members SET last_seen_at = ? WHERE uid = ?'),
  remove: db.prepare<[number]>('DELETE FROM members WHERE uid = ?'),
  all: db.prepare<[], MemberRow>('SELECT uid, joined_at, last_seen_at FROM members ORDER BY uid'),
}))

export function findMember(db: Db, uid: number): MemberRow | undefined {
  return statements(db).find.get(uid)
}

export function insertMember(db: Db, row: MemberRow): void {
  statements(db).insert.run(row.uid, row.joined_at, row.last_seen_at)
}

export function setMemberSeen(db: Db, uid: number, at: number): void {
  statements(db).seen.run(at, uid)
}

export function deleteMember(db: Db, uid: number): boolean {
  return statements(db).remove.run(uid).changes > 0
}

export function allMembers(db: Db): MemberRow[] {
  return statements(db).all.all()
}
