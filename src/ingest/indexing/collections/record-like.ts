// app.bsky.feed.like of a feed generator, a labeler or a starter pack. Kept wherever that record is: there
// are few, and its count should be right.

import { collectionCodes } from '../../../base/atproto/collections.ts'
import { packRkey } from '../../../base/atproto/keys.ts'
import { enqueueJob } from '../../../data/store/fetching/jobs.ts'
import {
  deleteRecordLike,
  findRecordLike,
  insertRecordLike,
  type RecordLike,
} from '../../../data/store/records/record-likes.ts'
import {
  type IndexContext,
  internCreator,
  isAuthor,
  type Outcome,
  type RecordRemoval,
  type RecordWrite,
} from '../index-context.ts'
import { LIKE, notifyOfRecordLike, withdrawNotifications } from '../notifications/notify.ts'
import { noteAct } from '../records/act-arrival.ts'
import { storeUnusual } from '../records/reaction-record.ts'
import { ensureRecord, lookUpRecord, type NamedRecord } from '../records/record-rows.ts'

export function putRecordLike(ctx: IndexContext, write: RecordWrite, ref: NamedRecord): Outcome {
  const isNear = ctx.scope === 'network' || isAuthor(ctx, write.uid)
  const subject = isNear ? pointAt(ctx, write, ref) : lookUpRecord(ctx, ref)
  if (subject === 0) return 'out-of-scope'
  const uid = internCreator(ctx, write)
  const { rkey, createdAt } = write
  const existing = findRecordLike(ctx.db, uid, rkey)
  if (existing?.subject === subject && existing.createdAt === createdAt) return 'duplicate'
  if (existing) retract(ctx, existing)
  const owner = ctx.actors.uidOf(ref.did)
  const about = { collection: ref.collection, rkey: packRkey(ref.rkey) }
  if (insertRecordLike(ctx.db, { uid, rkey, subject, createdAt })) {
    storeUnusual(ctx, write, { uid, at: createdAt })
    notifyOfRecordLike(ctx, write, { uid, owner, subject: about })
  }
  const record = { ...about, collection: collectionCodes[ref.collection] }
  noteAct(ctx, write, uid, { uid: owner, record })
  return 'applied'
}

/** Fetches records that authors like, since their followers may be looking for them. */
function pointAt(ctx: IndexContext, write: RecordWrite, ref: NamedRecord): number {
  const { id, isStub } = ensureRecord(ctx, ref)
  if (isStub && isAuthor(ctx, write.uid)) enqueueJob(ctx.db, 'record', id)
  return id
}

/** @returns whether there was a like */
export function removeRecordLike(
  ctx: IndexContext,
  { uid, rkey }: Pick<RecordRemoval, 'uid' | 'rkey'>,
): boolean {
  const existing = findRecordLike(ctx.db, uid, rkey)
  if (existing) retract(ctx, existing)
  return existing !== undefined
}

function retract(ctx: IndexContext, like: RecordLike): void {
  deleteRecordLike(ctx.db, like)
  withdrawNotifications(ctx, { uid: like.uid, collection: LIKE, rkey: like.rkey })
}
