// Feed generators and starter packs, page by page: those of one account, and the most liked.

import type { PackedRkey } from '../../../../base/atproto/keys.ts'
import type { Db } from '../../db.ts'
import { perDatabase } from '../../per-database.ts'

type OwnRecord = { id: number; rkey: PackedRkey; cid: Buffer; sortAt: number }

type PopularRecord = {
  id: number
  uid: number
  rkey: PackedRkey
  likes: number
  name: string | null
}

const statements = perDatabase((db) => ({
  own: db.prepare<[number, number, number, number], OwnRecord>(
    `SELECT id, rkey, cid, sort_at AS sortAt FROM records
      WHERE uid = +? AND collection = +? AND cid IS NOT NULL AND sort_at <= +?
      ORDER BY sort_at DESC LIMIT +?`,
  ),
  popular: db.prepare<[number, number, number, number, number], PopularRecord>(
    `SELECT id, uid, rkey, likes, coalesce(CAST(record AS TEXT) ->> '$.displayName',
        CAST(record AS TEXT) ->> '$.name') AS name
      FROM records WHERE collection = +? AND cid IS NOT NULL AND likes <= +? AND (likes < +? OR id < +?)
      ORDER BY likes DESC, id DESC LIMIT +?`,
  ),
}))

/** Newest first, from `until` (milliseconds) down. */
export function recordsBy(
  db: Db,
  { uid, collection }: { uid: number; collection: number },
  { until, limit }: { until: number; limit: number },
): OwnRecord[] {
  return statements(db).own.all(uid, collection, until, limit)
}

/** Most liked first, below this one. */
export function popularRecords(
  db: Db,
  collection: number,
  { likes, id, limit }: { likes: number; id: number; limit: number },
): PopularRecord[] {
  return statements(db).popular.all(collection, likes, likes, id, limit)
}
