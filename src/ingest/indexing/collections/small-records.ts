// Record types with few records: feed generators, starter packs, labelers, live statuses and declarations,
// and the rules that verifications share with them (data/store/records/records.ts). They cost little and a profile is
// incomplete without them, so those of every known account are kept.

import { collectionCodes, type RecordCollection } from '../../../base/atproto/collections.ts'
import { keysOfRecords } from '../../../data/store/fetching/stored-keys.ts'
import {
  emptyRecord,
  emptyRecordsOf,
  fillRecord,
  findRecord,
  insertStubRecord,
  type RecordRow,
} from '../../../data/store/records/records.ts'
import {
  type IndexContext,
  internCreator,
  type Outcome,
  type RecordRemoval,
  type RecordWrite,
  recordJson,
  sortAtOf,
} from '../index-context.ts'
import { isOutdated } from '../lateness.ts'
import { type CollectionRules, isOfNobodyKnown, isUnreadStrangers } from './collection-rules.ts'

/** Types of which an account has one record, under the key `self`. */
const SINGLE = new Set<string>([
  'app.bsky.labeler.service',
  'app.bsky.actor.status',
  'app.bsky.notification.declaration',
  'chat.bsky.actor.declaration',
  'com.germnetwork.declaration',
  'app.bsky.actor.contentVisibilityDeclaration',
] satisfies RecordCollection[])

export function smallRecord(collection: RecordCollection): CollectionRules {
  return {
    put(ctx, write) {
      if (SINGLE.has(collection) && write.rkey !== 'self') return 'wrong-key'
      const isStored = ctx.scope === 'network' || write.uid !== 0
      return putSmallRecord(ctx, write, { isStored, subject: () => null })
    },
    remove: (ctx, removal) => takeSmallRecord(ctx, removal) !== undefined,
    isFar: isOfNobodyKnown,
    isFarUnread: isUnreadStrangers,
    removeAll: (ctx, uid) => emptyRecordsOf(ctx.db, uid),
    // Removed with the account (retention/sweep-account.ts).
    release: [],
    storedKeys: keysOfRecords(collection),
    readWith: 'records',
  }
}

/** @param about.subject - returns the subject's uid; called once the record is kept */
export function putSmallRecord(
  ctx: IndexContext,
  write: RecordWrite,
  about: { isStored: boolean; subject: () => number | null },
): Outcome {
  const row = rowOf(ctx, write)
  if (!row && !about.isStored) return 'out-of-scope'
  if (row?.cid?.equals(write.cid)) return 'duplicate'
  if (row && isOutdated(row, write)) return 'late'
  const uid = internCreator(ctx, write)
  const collection = collectionCodes[write.collection]
  const content = {
    id: row?.id ?? insertStubRecord(ctx.db, { uid, collection, rkey: write.rkey }),
    uid,
    collection,
    cid: write.cid,
    rev: write.rev ?? row?.rev ?? null,
    record: recordJson(write),
    created_at: write.createdAt,
    sort_at: sortAtOf(write),
    subject: about.subject(),
  }
  fillRecord(ctx.db, content, row?.subject ?? null)
  return 'applied'
}

/** @returns the row as it was, if there was a record */
export function takeSmallRecord(ctx: IndexContext, removal: RecordRemoval): RecordRow | undefined {
  const row = rowOf(ctx, removal)
  if (!row || isOutdated(row, removal)) return undefined
  emptyRecord(ctx.db, row, removal.rev)
  return row.cid === null ? undefined : row
}

function rowOf(
  ctx: IndexContext,
  { uid, collection, rkey }: Pick<RecordWrite, 'uid' | 'collection' | 'rkey'>,
): RecordRow | undefined {
  if (uid === 0) return undefined
  return findRecord(ctx.db, { uid, collection: collectionCodes[collection], rkey })
}
