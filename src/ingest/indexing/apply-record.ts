// Writes or removes one record: checks lateness first, then calls the rules of its collection.

import { allRules } from './collections/all-rules.ts'
import {
  type IndexContext,
  isAuthor,
  isImportingFollows,
  isOfDeletedAccount,
  type Outcome,
  type RecordRemoval,
  type RecordWrite,
} from './index-context.ts'
import { isTombstoned, writeTombstone } from './lateness.ts'

/** `isUpdate`: the stream said that the key existed before. */
export function applyWrite(ctx: IndexContext, write: RecordWrite, isUpdate: boolean): Outcome {
  if (isOfDeletedAccount(ctx, write)) return 'account-deleted'
  if (isTombstoned(ctx, write)) return 'late'
  ctx.happenedAt = Math.min(write.indexedAt, write.seenAtUs / 1000)
  const outcome = allRules[write.collection].put(ctx, write)
  if (outcome !== 'applied' || !isUpdate || write.rev === undefined) return outcome
  writeTombstone(ctx, {
    uid: ctx.actors.uidOf(write.did),
    collection: write.collection,
    rkey: write.rkey,
    rev: write.rev,
  })
  return outcome
}

/**
 * Also remembers the deletion of an unseen record if its creation would be kept, since that may
 * still arrive.
 */
export function applyRemoval(ctx: IndexContext, removal: RecordRemoval): Outcome {
  if (isOfDeletedAccount(ctx, removal)) return 'account-deleted'
  if (isTombstoned(ctx, { ...removal, fetchedAt: undefined })) return 'late'
  ctx.happenedAt = removal.seenAtUs / 1000
  const wasThere = allRules[removal.collection].remove(ctx, removal)
  const isRemembered =
    wasThere ||
    ctx.scope === 'network' ||
    isAuthor(ctx, removal.uid) ||
    isImportingFollows(ctx, removal.collection)
  if (isRemembered) writeTombstone(ctx, removal)
  return wasThere ? 'applied' : 'unknown-key'
}
