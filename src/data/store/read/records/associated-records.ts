// Versions of records that posts' link cards name, as far as they are here.

import { type PackedRkey, unpackCid } from '../../../../base/atproto/keys.ts'
import { recordColumn, recordText } from '../../posts/record-bytes.ts'
import { type Db, idList } from '../id-list.ts'

type Row = { uid: number; collection: number; rkey: PackedRkey; cid: Buffer }
type CardRow = Row & { card: string }
type WholeRow = Row & { rev: string | null; record: Buffer | string | null }

type Card = { uid: number; collection: number; rkey: PackedRkey; cid: string; card: string }
type Whole = Omit<Card, 'card'> & { rev: string | null; record: string }

type AssociatedReader = {
  /** What cards show of the records that these posts name, as JSON. */
  cardsOf(posts: Iterable<number>): Card[]
  /** The records of an account's key, in every version that is here; the last one to arrive comes last. */
  whole(uid: number, collection: number, rkey: PackedRkey): Whole[]
}

export function prepareAssociated(db: Db): AssociatedReader {
  const cards = db.prepare<[string], CardRow>(
    `SELECT r.uid, r.collection, r.rkey, r.cid, r.card FROM json_each(?) ids
      CROSS JOIN post_associations a ON a.post = ids.value
      CROSS JOIN associated_records r ON r.id = a.record AND r.record IS NOT NULL`,
  )
  const whole = db.prepare<[number, number, PackedRkey], WholeRow>(
    `SELECT uid, collection, rkey, cid, rev, ${recordColumn('record')} AS record FROM associated_records
      WHERE uid = ? AND collection = ? AND rkey = ? AND record IS NOT NULL ORDER BY rev, id`,
  )
  return {
    cardsOf: (posts) =>
      cards.all(idList(posts)).map((row) => ({ ...row, cid: unpackCid(row.cid) })),
    whole: (uid, collection, rkey) =>
      whole.all(uid, collection, rkey).flatMap((row) => {
        const record = recordText(row.record)
        return record === null ? [] : [{ ...row, cid: unpackCid(row.cid), record }]
      }),
  }
}
