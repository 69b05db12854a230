import { collectionCodes, type RecordCollection } from '../../../base/atproto/collections.ts'
import { packRkey } from '../../../base/atproto/keys.ts'
import {
  findRecord,
  insertStubRecord,
  type RecordKey,
} from '../../../data/store/records/records.ts'
import { type IndexContext, internActor } from '../index-context.ts'
import { parseRecordUri, type RecordRef } from './record-fields.ts'

/** Records that posts embed and accounts like, besides posts and lists. */
type PointedAt = Extract<
  RecordCollection,
  'app.bsky.feed.generator' | 'app.bsky.graph.starterpack' | 'app.bsky.labeler.service'
>

export type NamedRecord = RecordRef & { collection: PointedAt }

const POINTED_AT: readonly PointedAt[] = [
  'app.bsky.feed.generator',
  'app.bsky.graph.starterpack',
  'app.bsky.labeler.service',
]

export function parseNamedRecord(uri: unknown): NamedRecord | undefined {
  for (const collection of POINTED_AT) {
    const ref = parseRecordUri(uri, collection)
    if (ref) return { ...ref, collection }
  }
  return undefined
}

/** records.id, or 0. */
export function lookUpRecord(ctx: IndexContext, ref: NamedRecord): number {
  const uid = ctx.actors.uidOf(ref.did)
  return uid === 0 ? 0 : (findRecord(ctx.db, keyOf(uid, ref))?.id ?? 0)
}

/** Returns the record's row, a stub if it is new. */
export function ensureRecord(ctx: IndexContext, ref: NamedRecord): { id: number; isStub: boolean } {
  const key = keyOf(internActor(ctx, ref.did), ref)
  const row = findRecord(ctx.db, key)
  if (row) return { id: row.id, isStub: row.cid === null }
  return { id: insertStubRecord(ctx.db, key), isStub: true }
}

function keyOf(uid: number, { collection, rkey }: NamedRecord): RecordKey {
  return { uid, collection: collectionCodes[collection], rkey: packRkey(rkey) }
}
