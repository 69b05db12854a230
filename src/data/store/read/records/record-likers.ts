// Accounts that like a record other than a post, newest like first; of one moment, the higher uid first.

import type { PackedRkey } from '../../../../base/atproto/keys.ts'
import type { RecordKey } from '../../records/records.ts'
import type { Db } from '../id-list.ts'

export type RecordLiker = { uid: number; createdAt: number }
type RecordLike = RecordLiker & { rkey: PackedRkey }

type RecordLikerReader = {
  /** records.id, even of a stub; 0 if there is none. */
  idOf(key: RecordKey): number
  /** Each account once, by its latest like. */
  below(record: number, position: RecordLiker, limit: number): RecordLike[]
}

const ID = 'SELECT id FROM records WHERE uid = ? AND collection = ? AND rkey = ?'

const BELOW = /* sql */ `
SELECT uid, created_at AS createdAt, min(rkey) AS rkey FROM record_likes l INDEXED BY record_likes_by_time
WHERE subject = +? AND (created_at, uid) < (+?, +?) AND NOT EXISTS (
  SELECT 1 FROM record_likes o
  WHERE o.subject = l.subject AND o.uid = l.uid AND o.created_at > l.created_at)
GROUP BY created_at, uid ORDER BY created_at DESC, uid DESC LIMIT +?`

export function prepareRecordLikers(db: Db): RecordLikerReader {
  const id = db.prepare<[number, number, PackedRkey], number>(ID).pluck()
  const below = db.prepare<[number, number, number, number], RecordLike>(BELOW)
  return {
    idOf: ({ uid, collection, rkey }) => id.get(uid, collection, rkey) ?? 0,
    below: (record, position, limit) => below.all(record, position.createdAt, position.uid, limit),
  }
}
