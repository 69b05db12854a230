import { type PackedRkey, unpackRkey } from '../../../base/atproto/keys.ts'
import type { Db } from '../../../data/store/db.ts'
import { perDatabase } from '../../../data/store/per-database.ts'
import { HAS_VIDEO } from '../../../data/store/posts/post-flags.ts'
import { postRecord } from '../../../data/store/posts/posts.ts'

const statements = perDatabase((db) => ({
  ids: db
    .prepare<[number, number], [id: number, rkey: PackedRkey]>(
      `SELECT id, rkey FROM posts WHERE uid = +? AND state = 1 AND flags & ${HAS_VIDEO} <> 0
        ORDER BY sort_at DESC LIMIT ?`,
    )
    .raw(),
}))

export function videoRecordsOf(
  db: Db,
  uid: number,
  limit: number,
): { rkey: string; record: string }[] {
  return statements(db)
    .ids.all(uid, limit)
    .map(([id, rkey]) => ({ rkey: unpackRkey(rkey), record: postRecord(db, id) ?? '{}' }))
}
