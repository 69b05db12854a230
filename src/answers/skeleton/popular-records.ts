// Feed generators and starter packs with the most likes known to us. Reads a bounded number of them, whatever
// the query. The cursor is `<likes>__<id>`.

import { recordUri } from '../../base/atproto/at-uri.ts'
import { collectionCodes, type RecordCollection } from '../../base/atproto/collections.ts'
import type { ActorReader } from '../../data/graph/types.ts'
import type { Db } from '../../data/store/db.ts'
import { popularRecords } from '../../data/store/read/record-pages.ts'
import { BadCursorError } from './page-cursor.ts'
import type { SkeletonPage } from './skeleton-page.ts'

type PopularRequest = {
  collection: RecordCollection
  /** Text to find in the name, ignoring case. */
  query?: string
  limit: number
  cursor: string | undefined
}

const MAX_LOOKED_AT = 5_000
const MOST = Number.MAX_SAFE_INTEGER

/** @returns a function that reads one page; @throws BadCursorError */
export function createPopularRecords({ db, actors }: { db: Db; actors: ActorReader }) {
  return ({ collection, query = '', limit, cursor }: PopularRequest): SkeletonPage<string> => {
    const wanted = query.trim().toLowerCase()
    const size = wanted === '' ? limit + 1 : MAX_LOOKED_AT
    const below = { ...parseCursor(cursor), limit: size }
    const rows = popularRecords(db, collectionCodes[collection], below).filter(
      ({ name }) => wanted === '' || name?.toLowerCase().includes(wanted),
    )
    const page = rows.slice(0, limit)
    const last = page.at(-1)
    return {
      items: page.map(({ uid, rkey }) => recordUri(actors.didOf(uid), collection, rkey)),
      cursor: rows.length > limit && last ? `${last.likes}__${last.id}` : undefined,
    }
  }
}

function parseCursor(cursor: string | undefined): { likes: number; id: number } {
  if (cursor === undefined) return { likes: MOST, id: MOST }
  const match = /^(\d{1,15})__(\d{1,15})$/.exec(cursor)
  if (!match) throw new BadCursorError()
  return { likes: Number(match[1]), id: Number(match[2]) }
}
