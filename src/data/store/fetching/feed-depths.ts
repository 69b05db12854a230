// How far back an author's posts and reposts were read from their server, and where the listing continues.

import type { Db, WriteDb } from '../db.ts'
import { perDatabase } from '../per-database.ts'

type FeedDepth = {
  /** Cursor of the server's next page; undefined: there is no more. */
  cursor: string | undefined
  /** Milliseconds since 1970. */
  oldestAt: number
  /** Pages read beyond the first. */
  pages: number
}

const statements = perDatabase((db) => ({
  find: db.prepare<[number, number], { cursor: string | null; oldest_at: number; pages: number }>(
    'SELECT cursor, oldest_at, pages FROM feed_depths WHERE uid = ? AND collection = ?',
  ),
  put: db.prepare<[number, number, string | null, number, number]>(
    `INSERT OR REPLACE INTO feed_depths (uid, collection, cursor, oldest_at, pages)
      VALUES (?, ?, ?, ?, ?)`,
  ),
  remove: db.prepare<[number]>('DELETE FROM feed_depths WHERE uid = ?'),
  deepenable: db
    .prepare<[string, number, number], number>(
      `SELECT uid FROM json_each(?) ids CROSS JOIN feed_depths ON uid = ids.value
        WHERE cursor IS NOT NULL AND pages < ? GROUP BY uid ORDER BY max(oldest_at) DESC LIMIT ?`,
    )
    .pluck(),
  knownSince: db
    .prepare<[string], number | null>(
      `SELECT max(oldest_at) FROM json_each(?) ids CROSS JOIN feed_depths ON uid = ids.value
        WHERE cursor IS NOT NULL`,
    )
    .pluck(),
}))

export function findFeedDepth(db: Db, uid: number, collection: number): FeedDepth | undefined {
  const row = statements(db).find.get(uid, collection)
  if (!row) return undefined
  return { cursor: row.cursor ?? undefined, oldestAt: row.oldest_at, pages: row.pages }
}

export function putFeedDepth(db: WriteDb, uid: number, collection: number, depth: FeedDepth): void {
  const { cursor, oldestAt, pages } = depth
  statements(db).put.run(uid, collection, cursor ?? null, oldestAt, pages)
}

/** Makes the feed be read from scratch. */
export function deleteFeedDepths(db: WriteDb, uid: number): void {
  statements(db).remove.run(uid)
}

/** The accounts among these whose feeds can be read further: the one read least far back first. */
export function deepenable(
  db: Db,
  uids: readonly number[],
  { maxPages, limit }: { maxPages: number; limit: number },
): number[] {
  return statements(db).deepenable.all(JSON.stringify(uids), maxPages, limit)
}

/** The time since which every post and repost of these accounts was read, for those read at all. */
export function knownSince(db: Db, uids: readonly number[]): number {
  return statements(db).knownSince.get(JSON.stringify(uids)) ?? 0
}
