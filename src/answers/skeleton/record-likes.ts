// Accounts that like a feed generator, a starter pack or a labeler, latest first. The cursor is the one of
// post likes: `<ms>__<did>` of the last like.

import { isValidDid } from '@atproto/syntax'
import { collectionCodes, isIndexed } from '../../base/atproto/collections.ts'
import { type PackedRkey, packRkey } from '../../base/atproto/keys.ts'
import type { ActorReader } from '../../data/graph/types.ts'
import type { Db } from '../../data/store/db.ts'
import {
  prepareRecordLikers,
  type RecordLiker,
} from '../../data/store/read/records/record-likers.ts'
import type { RecordKeyInRepo } from '../../data/store/read/records/records-by-key.ts'
import type { Like } from './engagement.ts'
import { LATEST } from './feed-page.ts'
import { parsePosition } from './page-cursor.ts'
import type { SkeletonPage } from './skeleton-page.ts'

type RecordLikesRequest = {
  record: RecordKeyInRepo
  limit: number
  cursor: string | undefined
}

type RecordLikes = (request: RecordLikesRequest) => SkeletonPage<Like & { rkey: PackedRkey }>

/** @returns a function that reads one page, empty if there are no likes; @throws BadCursorError */
export function createRecordLikes({ db, actors }: { db: Db; actors: ActorReader }): RecordLikes {
  const likers = prepareRecordLikers(db)

  function idOf({ uid, collection: name, rkey }: RecordKeyInRepo): number {
    if (!isIndexed(name)) return 0
    return likers.idOf({ uid, collection: collectionCodes[name], rkey: packRkey(rkey) })
  }

  return ({ record, limit, cursor }) => {
    const position = parseCursor(actors, cursor)
    const id = idOf(record)
    const rows = id === 0 ? [] : likers.below(id, position, limit + 1)
    const last = rows.length > limit ? rows[limit - 1] : undefined
    return {
      items: rows.slice(0, limit).map((like) => ({ ...like, sortAt: like.createdAt })),
      cursor: last && `${last.createdAt}__${actors.didOf(last.uid)}`,
    }
  }
}

function parseCursor(actors: ActorReader, cursor: string | undefined): RecordLiker {
  if (cursor === undefined) return { createdAt: LATEST, uid: 0 }
  const read = (did: string) => (isValidDid(did) && actors.uidOf(did)) || undefined
  const [createdAt, uid] = parsePosition(cursor, { read, lowest: 0 })
  return { createdAt, uid }
}
