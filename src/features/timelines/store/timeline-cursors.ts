// Positions that readers of timelines asked us to store: numbers rather than signed cursors, for members and
// for programs' tokens, and deleted with them.

import type { Db, WriteDb } from '../../../data/store/db.ts'
import { perDatabase } from '../../../data/store/per-database.ts'
import { timelineDigest } from './timeline-digest.ts'

/** A member (`token` is empty), or a token (`uid` is 0). */
export type CursorOwner = { uid: number; token: string }

/** As in features/timelines/sources/signed-cursor.ts. */
type Position = { isForward: boolean; at: readonly number[] }

type StoredCursor = Position & { updatedAt: number }

type Row = { is_forward: number; positions: string; updated_at: number }

type ListPosition = CursorOwner & { timeline: Buffer }

/** Rows and bytes of one owner. */
export const CURSOR_LIMITS = {
  member: { rows: 64, bytes: 16_384 },
  token: { rows: 1_000, bytes: 262_144 },
}

/** What a row takes besides its texts: digest, times, and its entry in the index. */
const ROW_BYTES = 64

const statements = perDatabase((db) => ({
  find: db.prepare<[ListPosition], Row>(
    `SELECT is_forward, positions, updated_at FROM timeline_cursors
      WHERE uid = @uid AND token = @token AND timeline = @timeline`,
  ),
  others: db.prepare<[ListPosition], { rows: number; bytes: number }>(
    `SELECT count(*) AS rows, total(${ROW_BYTES} + length(token) + length(positions)) AS bytes
      FROM timeline_cursors WHERE uid = @uid AND token = @token AND timeline <> @timeline`,
  ),
  put: db.prepare<[ListPosition & Row]>(
    `INSERT OR REPLACE INTO timeline_cursors (uid, token, timeline, is_forward, positions, updated_at)
      VALUES (@uid, @token, @timeline, @is_forward, @positions, @updated_at)`,
  ),
  removeToken: db.prepare<[string]>('DELETE FROM timeline_cursors WHERE uid = 0 AND token = ?'),
  prune: db.prepare<[number, number]>(
    `DELETE FROM timeline_cursors WHERE (uid, token, timeline) IN
      (SELECT uid, token, timeline FROM timeline_cursors WHERE updated_at < ? LIMIT ?)`,
  ),
}))

/** @param timeline - key of the timeline or merge */
export function findStoredCursor(
  db: Db,
  owner: CursorOwner,
  timeline: string,
): StoredCursor | undefined {
  const row = statements(db).find.get({ ...owner, timeline: timelineDigest(timeline) })
  if (!row) return undefined
  const at = row.positions.split(' ').map(Number)
  return { isForward: row.is_forward === 1, at, updatedAt: row.updated_at }
}

/** @returns whether it was stored; false: the owner has as many as may be */
export function storeCursor(
  db: WriteDb,
  owner: CursorOwner,
  { timeline: key, position, now }: { timeline: string; position: Position; now: number },
): boolean {
  const owned = { ...owner, timeline: timelineDigest(key) }
  const positions = position.at.join(' ')
  const limits = owner.uid === 0 ? CURSOR_LIMITS.token : CURSOR_LIMITS.member
  const { rows, bytes } = statements(db).others.get(owned)!
  const size = ROW_BYTES + owner.token.length + positions.length
  if (rows >= limits.rows || bytes + size > limits.bytes) return false
  const row = { is_forward: position.isForward ? 1 : 0, positions, updated_at: now }
  statements(db).put.run({ ...owned, ...row })
  return true
}

/** Those of members go with their other private rows (private-rows.ts). */
export function deleteCursorsOfToken(db: WriteDb, token: string): void {
  statements(db).removeToken.run(token)
}

/** Deletes some of those last stored before this time. */
export function pruneCursors(db: WriteDb, before: number, limit: number): number {
  return statements(db).prune.run(before, limit).changes
}
