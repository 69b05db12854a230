// The members: accounts that read here.

import type { Db, WriteDb } from '../db.ts'
import { perDatabase } from '../per-database.ts'
import { statusCode } from '../records/status.ts'

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
  count: db.prepare<[], number>('SELECT count(*) FROM members').pluck(),
  since: db.prepare<[number], 1>('SELECT 1 FROM members WHERE joined_at > ? LIMIT 1').pluck(),
  deletedBefore: db.prepare<[number, number], { uid: number; did: string }>(
    `SELECT uid, did FROM members JOIN actors USING (uid) WHERE status = ? AND status_at < ?
      ORDER BY uid`,
  ),
  awaySince: db
    .prepare<[number, number], string>(
      `SELECT did FROM members JOIN actors USING (uid) WHERE coalesce(last_seen_at, joined_at) < ? LIMIT ?`,
    )
    .pluck(),
  lastSeen: db
    .prepare<[number], string>(
      `SELECT did FROM members JOIN actors USING (uid) ORDER BY last_seen_at DESC, uid LIMIT ?`,
    )
    .pluck(),
  byDid: db.prepare<[], MemberRow & { did: string }>(
    'SELECT uid, did, joined_at, last_seen_at FROM members JOIN actors USING (uid) ORDER BY uid',
  ),
  all: db.prepare<[], MemberRow>('SELECT uid, joined_at, last_seen_at FROM members ORDER BY uid'),
}))

export function findMember(db: Db, uid: number): MemberRow | undefined {
  return statements(db).find.get(uid)
}

export function insertMember(db: WriteDb, row: MemberRow): void {
  statements(db).insert.run(row.uid, row.joined_at, row.last_seen_at)
}

export function setMemberSeen(db: WriteDb, uid: number, at: number): void {
  statements(db).seen.run(at, uid)
}

export function deleteMember(db: WriteDb, uid: number): boolean {
  return statements(db).remove.run(uid).changes > 0
}

export function countMembers(db: Db): number {
  return statements(db).count.get() ?? 0
}

/** Whether somebody joined after this time; milliseconds since 1970. */
export function hasMemberSince(db: Db, time: number): boolean {
  return statements(db).since.get(time) !== undefined
}

export function allMembers(db: Db): MemberRow[] {
  return statements(db).all.all()
}

export function membersByDid(db: Db): (MemberRow & { did: string })[] {
  return statements(db).byDid.all()
}

/** Members whose account has been deleted since before this time, in microseconds. */
export function membersDeletedBefore(db: Db, timeUs: number): { uid: number; did: string }[] {
  return statements(db).deletedBefore.all(statusCode('deleted'), timeUs)
}

/** DIDs of members last seen before this time, or who joined before it and were never seen; ms. */
export function membersAwaySince(db: Db, at: number, limit: number): string[] {
  return statements(db).awaySince.all(at, limit)
}

/** DIDs of the members seen last; those never seen come at the end. */
export function lastSeenMembers(db: Db, limit: number): string[] {
  return statements(db).lastSeen.all(limit)
}
