// The records that posts' link cards name: rows of the versions named, made with the post. A post from before there were
// such rows gets them when it is shown.

import { associatedRefsIn } from '../../../base/atproto/associated-refs.ts'
import { collectionCodes } from '../../../base/atproto/collections.ts'
import { packCid, packRkey } from '../../../base/atproto/keys.ts'
import { DAY_MS } from '../../../base/util/durations.ts'
import type { JsonObject } from '../../../base/util/json-object.ts'
import {
  type AssociatedRow,
  type AssociatedVersion,
  associate,
  associatedWithPost,
} from '../../../data/store/records/associated-records.ts'
import { type IndexContext, internActor } from '../index-context.ts'
import { recordOf } from './mentions.ts'

/** How long after its server had another version, or none, a version is not requested. */
const MISSED_FOR_MS = DAY_MS

/**
 * Called when the record is stored or replaced.
 * @param hadCard - false if the post can't have named any before
 * @returns whether it names any
 */
export function associateCard(
  ctx: IndexContext,
  post: number,
  record: JsonObject,
  hadCard: boolean,
): boolean {
  const refs = associatedRefsIn(record)
  if (refs.length === 0 && !hadCard) return false
  const versions = refs.flatMap(({ did, collection, rkey, cid: text }): AssociatedVersion[] => {
    const cid = packCid(text)
    if (!cid) return []
    const uid = internActor(ctx, did)
    return [{ uid, collection: collectionCodes[collection], rkey: packRkey(rkey), cid }]
  })
  associate(ctx.db, post, versions)
  return versions.length > 0
}

/** The records of a post that is shown. */
export function associationsOfShown(ctx: IndexContext, post: number): AssociatedRow[] {
  const rows = associatedWithPost(ctx.db, post)
  const record = rows.length === 0 ? recordOf(ctx.db, post) : undefined
  if (!record) return rows
  associateCard(ctx, post, record, false)
  return associatedWithPost(ctx.db, post)
}

export function mayBeFetched({ now }: IndexContext, row: AssociatedRow): boolean {
  return !row.isHere && (row.missed_at ?? -Infinity) < now - MISSED_FOR_MS
}
