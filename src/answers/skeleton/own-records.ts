// Pages of one account's feed generators or starter packs, newest first, with the cursor of feeds.

import { recordUri } from '../../base/atproto/at-uri.ts'
import { collectionCodes, type RecordCollection } from '../../base/atproto/collections.ts'
import { unpackCid } from '../../base/atproto/keys.ts'
import type { ActorReader } from '../../data/graph/types.ts'
import type { Db } from '../../data/store/db.ts'
import { recordsBy } from '../../data/store/read/records/record-pages.ts'
import { LATEST } from './feed-page.ts'
import { cutRows, parseFeedCursor } from './page-cursor.ts'
import type { SkeletonPage } from './skeleton-page.ts'

type OwnRecordsRequest = {
  uid: number
  collection: RecordCollection
  limit: number
  cursor: string | undefined
}

/** Records read beyond a page at first, and at most: their order by CID needs all of a millisecond. */
const FURTHER = [100, 1_000, 10_000]

/** @returns a function that reads one page; @throws BadCursorError */
export function createOwnRecords({ db, actors }: { db: Db; actors: ActorReader }) {
  return ({ uid, collection, limit, cursor }: OwnRecordsRequest): SkeletonPage<string> => {
    const before = cursor === undefined ? undefined : parseFeedCursor(cursor)
    const whose = { uid, collection: collectionCodes[collection] }
    for (let turn = 0; ; turn++) {
      const range = { until: before?.sortAt ?? LATEST, limit: limit + 1 + FURTHER[turn]! }
      const rows = recordsBy(db, whose, range)
      const mayGoOn = rows.length === range.limit && turn < FURTHER.length - 1
      const sure = mayGoOn ? rows.filter(({ sortAt }) => sortAt > rows.at(-1)!.sortAt) : rows
      const positioned = sure.map((row) => ({ ...row, cid: unpackCid(row.cid), tie: row.id }))
      const page = cutRows(positioned, { before, limit })
      if (mayGoOn && page.cursor === undefined) continue
      return {
        items: page.rows.map(({ rkey }) => recordUri(actors.didOf(uid), collection, rkey)),
        cursor: page.cursor,
      }
    }
  }
}
