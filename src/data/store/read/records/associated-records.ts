// Versions of records that posts' link cards name, as far as they are here.

import { type PackedRkey, unpackCid } from '../../../../base/atproto/keys.ts'
import { recordColumn, recordText } from '../../posts/record-bytes.ts'
import { type Db, idList } from '../id-list.ts'

type Row = { uid: number; collection: number; rkey: PackedRkey; cid: Buffer }
type CardRow = Row & { id: number; card: string | null }
type CompleteRow = Row & { rev: string | null; record: Buffer | string | null }

type Version = { uid: number; collection: number; rkey: PackedRkey; cid: string }
/** `card`: null while this version is not here. */
type Card = Version & { id: number; card: string | null }
type Complete = Version & { rev: string | null; record: string }

type AssociatedReader = {
  /** The records that these posts name, with what cards show of them, as JSON. */
  cardsOf(posts: Iterable<number>): Card[]
  /** The records of an account's key, in every version that is here; the last one to arrive comes last. */
  complete(uid: number, collection: number, rkey: PackedRkey): Complete[]
}

export function prepareAssociated(db: Db): AssociatedReader {
  const cards = db.prepare<[string], CardRow>(
    `SELECT DISTINCT r.id, r.uid, r.collection, r.rkey, r.cid, r.card FROM json_each(?) ids
      CROSS JOIN post_associations a ON a.post = ids.value
      CROSS JOIN associated_records r ON r.id = a.record`,
  )
  const complete = db.prepare<[number, number, PackedRkey], CompleteRow>(
    `SELECT uid, collection, rkey, cid, rev, ${recordColumn('record')} AS record FROM associated_records
      WHERE uid = ? AND collection = ? AND rkey = ? AND record IS NOT NULL ORDER BY rev, id`,
  )
  return {
    cardsOf: (posts) =>
      cards.all(idList(posts)).map((row) => ({ ...row, cid: unpackCid(row.cid) })),
    complete: (uid, collection, rkey) =>
      complete.all(uid, collection, rkey).flatMap((row) => {
        const record = recordText(row.record)
        return record === null ? [] : [{ ...row, cid: unpackCid(row.cid), record }]
      }),
  }
}
