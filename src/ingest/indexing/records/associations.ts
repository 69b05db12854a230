// What a post names besides other posts. The records that its link card is made from: rows of the versions named, made
// with the post; one from before there were such rows gets them when it is shown. And the accounts that it mentions,
// indexed when it is stored, for accounts that become members later.

import { associatedRefsIn } from '../../../base/atproto/associated-refs.ts'
import { collectionCodes } from '../../../base/atproto/collections.ts'
import { packCid, packRkey } from '../../../base/atproto/keys.ts'
import { DAY_MS } from '../../../base/util/durations.ts'
import type { JsonObject } from '../../../base/util/json-object.ts'
import type { Db, WriteDb } from '../../../data/store/db.ts'
import { addMention } from '../../../data/store/posts/mentions.ts'
import { postRecord } from '../../../data/store/posts/posts.ts'
import {
  type AssociatedRow,
  type AssociatedVersion,
  associate,
  associatedWithPost,
} from '../../../data/store/records/associated-records.ts'
import { type IndexContext, internActor } from '../index-context.ts'
import { mentionsIn } from './reply-rules.ts'

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
  // Nearly all posts have no card, and never had one.
  if (record['embed'] === undefined && !hadCard) return false
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
export function associationsOfPresented(ctx: IndexContext, post: number): AssociatedRow[] {
  const rows = associatedWithPost(ctx.db, post)
  const record = rows.length === 0 ? recordOf(ctx.db, post) : undefined
  if (!record) return rows
  associateCard(ctx, post, record, false)
  return associatedWithPost(ctx.db, post)
}

export function mayBeFetched({ now }: IndexContext, row: AssociatedRow): boolean {
  return !row.isHere && (row.missed_at ?? -Infinity) < now - MISSED_FOR_MS
}

/** More than fit into a text; facets may claim any number. */
const MAX_MENTIONS = 10

export function indexMentions(db: WriteDb, post: number, record: JsonObject): void {
  for (const did of indexed(record)) addMention(db, post, did)
}

/** Digests may collide, so the record decides. */
export function doesMention(db: Db, post: number, did: string): boolean {
  const record = recordOf(db, post)
  return record !== undefined && indexed(record).includes(did)
}

/** Returns the record of a stored post. */
export function recordOf(db: Db, post: number): JsonObject | undefined {
  const json = postRecord(db, post)
  return json === undefined ? undefined : (JSON.parse(json) as JsonObject)
}

function indexed(record: JsonObject): string[] {
  return [...new Set(mentionsIn(record))].slice(0, MAX_MENTIONS)
}
