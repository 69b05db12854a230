// Single records by key, from our own index: the id of a post, and the whole record for collections whose
// records are stored as received.

import { collectionCodes, recordCollections } from '../../../../base/atproto/collections.ts'
import { type PackedRkey, packRkey, unpackCid } from '../../../../base/atproto/keys.ts'
import type { Db } from '../../db.ts'
import { recordColumn, recordText } from '../../posts/record-bytes.ts'

export type RecordKeyInRepo = { uid: number; collection: string; rkey: string }

type StoredRecord = { cid: string; value: unknown }

type Records = {
  /** posts.id, even of a stub; 0 if there is no row. */
  postIdOf(uid: number, rkey: string): number
  /**
   * The record with its CID. `gone`: it was here and is deleted. Undefined: not here, although its
   * repository may have it.
   */
  find(key: RecordKeyInRepo): StoredRecord | 'gone' | undefined
}

type Row = { cid: Buffer | null; record: Buffer | string | null; state: number }

const DELETED = 2

/** Gates have the same key as their post. */
const TABLES: Record<string, string> = {
  'app.bsky.actor.profile': `SELECT cid, CAST(record AS TEXT) AS record, 1 AS state FROM profiles
    WHERE uid = ? AND ? = 'self'`,
  'app.bsky.feed.post': `SELECT cid, ${recordColumn('record')} AS record, state FROM posts WHERE uid = ? AND rkey = ?`,
  'app.bsky.feed.threadgate': `SELECT g.cid, CAST(g.record AS TEXT) AS record, 1 AS state
    FROM posts p JOIN threadgates g ON g.post = p.id WHERE p.uid = ? AND p.rkey = ?`,
  'app.bsky.feed.postgate': `SELECT g.cid, CAST(g.record AS TEXT) AS record, 1 AS state
    FROM posts p JOIN postgates g ON g.post = p.id WHERE p.uid = ? AND p.rkey = ?`,
  'app.bsky.graph.list':
    'SELECT cid, CAST(record AS TEXT) AS record, 1 AS state FROM lists WHERE uid = ? AND rkey = ?',
}

const RECORDS = `SELECT cid, CAST(record AS TEXT) AS record, 1 AS state
  FROM records WHERE uid = ? AND rkey = ? AND collection =`

export function createRecords(db: Db): Records {
  const postId = db
    .prepare<[number, PackedRkey], number>('SELECT id FROM posts WHERE uid = ? AND rkey = ?')
    .pluck()
  const selects = new Map(
    [
      ...Object.entries(TABLES),
      ...recordCollections.map((name) => [name, `${RECORDS} ${collectionCodes[name]}`] as const),
    ].map(([collection, sql]) => [collection, db.prepare<[number, PackedRkey], Row>(sql)]),
  )
  return {
    postIdOf: (uid, rkey) => postId.get(uid, packRkey(rkey)) ?? 0,
    find({ uid, collection, rkey }) {
      const row = selects.get(collection)?.get(uid, packRkey(rkey))
      if (row?.state === DELETED) return 'gone'
      const json = recordText(row?.record ?? null)
      if (!row?.cid || !json) return undefined
      return { cid: unpackCid(row.cid), value: JSON.parse(json) }
    },
  }
}
