// What a member has seen of For You, as hashes of posts, and of which authors they want less.

import type { Db, WriteDb } from '../../../data/store/db.ts'
import { perDatabase } from '../../../data/store/per-database.ts'

/** Hashes of posts per member: forty pages of fifty. */
const MAX_SEEN = 2000
const MAX_LESS = 500
/** More would not change anything. */
export const MOST_TIMES = 100
/** From this number on, an author is not shown at all. */
export const NONE_OF = 2

const statements = perDatabase((db) => ({
  seen: db.prepare<[number], Buffer>('SELECT posts FROM for_you_seen WHERE uid = ?').pluck(),
  putSeen: db.prepare<[number, Buffer]>(
    `INSERT INTO for_you_seen (uid, posts) VALUES (?, ?)
      ON CONFLICT DO UPDATE SET posts = excluded.posts`,
  ),
  less: db.prepare<[number], { author: number; times: number }>(
    'SELECT author, times FROM for_you_less WHERE uid = ?',
  ),
  putLess: db.prepare<[{ uid: number; author: number; times: number; at: number }]>(
    `INSERT INTO for_you_less (uid, author, times, at) VALUES (@uid, @author, @times, @at)
      ON CONFLICT DO UPDATE SET times = excluded.times, at = excluded.at`,
  ),
  lessByDid: db.prepare<[number], { did: string; times: number; at: number }>(
    `SELECT a.did, l.times, l.at FROM for_you_less l JOIN actors a ON a.uid = l.author
      WHERE l.uid = ? ORDER BY l.at, a.did`,
  ),
  trimLess: db.prepare<[{ uid: number; most: number }]>(
    `DELETE FROM for_you_less WHERE uid = @uid AND author NOT IN
      (SELECT author FROM for_you_less WHERE uid = @uid ORDER BY at DESC LIMIT @most)`,
  ),
}))

export function seenBy(db: Db, uid: number): Set<number> {
  const stored = statements(db).seen.get(uid)
  const hashes = new Set<number>()
  for (let at = 0; stored && at + 4 <= stored.length; at += 4) hashes.add(stored.readInt32LE(at))
  return hashes
}

/** Keeps the latest. */
export function addSeen(db: WriteDb, uid: number, hashes: readonly number[]): void {
  const seen = seenBy(db, uid)
  for (const hash of hashes) {
    seen.delete(hash)
    seen.add(hash)
  }
  const latest = [...seen].slice(-MAX_SEEN)
  const stored = Buffer.alloc(latest.length * 4)
  for (const [i, hash] of latest.entries()) stored.writeInt32LE(hash, i * 4)
  statements(db).putSeen.run(uid, stored)
}

/** How often the member wanted less of each author, by uid. */
export function lessOf(db: Db, uid: number): Map<number, number> {
  return new Map(
    statements(db)
      .less.all(uid)
      .map(({ author, times }) => [author, times]),
  )
}

/** The latest comes last. */
export function lessByDid(db: Db, uid: number): { did: string; times: number; at: number }[] {
  return statements(db).lessByDid.all(uid)
}

export function putLess(
  db: WriteDb,
  { uid, author, times, at }: { uid: number; author: number; times: number; at: number },
): void {
  statements(db).putLess.run({ uid, author, times, at })
  statements(db).trimLess.run({ uid, most: MAX_LESS })
}
