// Pages of what one account made: its feed generators or its starter packs, newest first. The cursor is
// the reference's, `<ms>__<cid>`.

import { collectionCodes, type RecordCollection } from '../../base/atproto/collections.ts'
import { type PackedRkey, unpackCid, unpackRkey } from '../../base/atproto/keys.ts'
import type { ActorReader } from '../../data/graph/types.ts'
import type { Db } from '../../data/store/db.ts'
import { recordsBy } from '../../data/store/read/record-pages.ts'
import { LATEST } from './feed-page.ts'
import { type FeedPosition, formatFeedCursor, parseFeedCursor } from './page-cursor.ts'
import type { SkeletonPage } from './skeleton-page.ts'

type OwnRecordsRequest = {
  uid: number
  collection: RecordCollection
  limit: number
  cursor: string | undefined
}

type Placed = { rkey: PackedRkey; cid: string; sortAt: number }

/** Records of one millisecond are read together, up to so many. */
const MAX_TIED = 100

/** @returns reads one page; @throws BadCursorError */
export function createOwnRecords({ db, actors }: { db: Db; actors: ActorReader }) {
  return ({ uid, collection, limit, cursor }: OwnRecordsRequest): SkeletonPage<string> => {
    const before = cursor === undefined ? undefined : parseFeedCursor(cursor)
    const range = { until: before?.sortAt ?? LATEST, limit: limit + 1 + MAX_TIED }
    const rows = recordsBy(db, { uid, collection: collectionCodes[collection] }, range)
    const placed = rows
      .map((row): Placed => ({ ...row, cid: unpackCid(row.cid) }))
      .filter((row) => !before || isBelow(row, before))
      .sort((a, b) => b.sortAt - a.sortAt || (a.cid < b.cid ? 1 : -1))
    const page = placed.slice(0, limit)
    const last = page.at(-1)
    const hasMore = placed.length > limit && last !== undefined
    return {
      items: page.map(({ rkey }) => `at://${actors.didOf(uid)}/${collection}/${unpackRkey(rkey)}`),
      cursor: hasMore ? formatFeedCursor(last.sortAt, last.cid) : undefined,
    }
  }
}

function isBelow({ sortAt, cid }: Placed, edge: FeedPosition): boolean {
  return sortAt === edge.sortAt ? cid < edge.cid : sortAt < edge.sortAt
}
