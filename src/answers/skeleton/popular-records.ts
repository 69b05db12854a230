// Feed generators and starter packs with the most likes known to us. Reads a bounded number of them, whatever
// the query. The cursor is `<likes>__<id>`.

import { recordUri } from '../../base/atproto/at-uri.ts'
import { collectionCodes, type RecordCollection } from '../../base/atproto/collections.ts'
import { unpackRkey } from '../../base/atproto/keys.ts'
import type { ActorReader } from '../../data/graph/types.ts'
import type { Db } from '../../data/store/db.ts'
import { popularRecords } from '../../data/store/read/records/record-pages.ts'
import { BadCursorError } from './page-cursor.ts'
import type { SkeletonPage } from './skeleton-page.ts'

type PopularRequest = {
  collection: RecordCollection
  limit: number
  cursor: string | undefined
}

export type NamedRequest = PopularRequest & {
  /** Text to find in the name, ignoring case. */
  query: string
}

export type RecordKey = { uid: number; rkey: string }

const MAX_LOOKED_AT = 5_000
const MOST = Number.MAX_SAFE_INTEGER

/** @returns a function that reads one page; @throws BadCursorError */
export function createPopularRecords({ db, actors }: { db: Db; actors: ActorReader }) {
  return (request: PopularRequest): SkeletonPage<string> => {
    const { collection, limit, cursor } = request
    const below = { ...parseCursor(cursor), limit: limit + 1 }
    const rows = popularRecords(db, collectionCodes[collection], below)
    return urisOf(actors, collection, pageOf(rows, limit))
  }
}

/**
 * Those with a text in their name.
 * @returns a function that reads one page; @throws BadCursorError
 */
export function createNamedRecords(db: Db) {
  return ({ collection, query, limit, cursor }: NamedRequest): SkeletonPage<RecordKey> => {
    const wanted = query.trim().toLowerCase()
    const below = { ...parseCursor(cursor), limit: MAX_LOOKED_AT }
    const rows = popularRecords(db, collectionCodes[collection], below)
    return pageOf(
      rows.filter(({ name }) => name?.toLowerCase().includes(wanted)),
      limit,
    )
  }
}

/** The same page, with at-URIs. */
export function urisOf(
  actors: Pick<ActorReader, 'didOf'>,
  collection: RecordCollection,
  { items, cursor }: SkeletonPage<RecordKey>,
): SkeletonPage<string> {
  return {
    items: items.map(({ uid, rkey }) => recordUri(actors.didOf(uid), collection, rkey)),
    cursor,
  }
}

type Row = ReturnType<typeof popularRecords>[number]

function pageOf(rows: readonly Row[], limit: number): SkeletonPage<RecordKey> {
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return {
    items: page.map(({ uid, rkey }) => ({ uid, rkey: unpackRkey(rkey) })),
    cursor: rows.length > limit && last ? `${last.likes}__${last.id}` : undefined,
  }
}

function parseCursor(cursor: string | undefined): { likes: number; id: number } {
  if (cursor === undefined) return { likes: MOST, id: MOST }
  const match = /^(\d{1,15})__(\d{1,15})$/.exec(cursor)
  if (!match) throw new BadCursorError()
  return { likes: Number(match[1]), id: Number(match[2]) }
}
