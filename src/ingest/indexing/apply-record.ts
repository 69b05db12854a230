// One record, written or removed: lateness first, then the file of its collection.

import type { Collection } from '../../base/atproto/collections.ts'
import { putBlock, removeBlock } from './block.ts'
import { putFollow, removeFollow } from './follow.ts'
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
import { putLike, removeLike } from './like.ts'
import { putList, removeList } from './list.ts'
import { putListBlock, removeListBlock } from './list-block.ts'
import { putListItem, removeListItem } from './list-item.ts'
import { putPost, removePost } from './post.ts'
import { putPostgate, removePostgate } from './postgate.ts'
import { putProfile, removeProfile } from './profile.ts'
import { putRecord, removeRecord } from './record.ts'
import { putRepost, removeRepost } from './repost.ts'
import { putThreadgate, removeThreadgate } from './threadgate.ts'

type Put = (ctx: IndexContext, write: RecordWrite) => Outcome
/** @returns whether something was there. */
type Remove = (ctx: IndexContext, removal: RecordRemoval) => boolean

const records = { put: putRecord, remove: removeRecord }

const indexers: Record<Collection, { put: Put; remove: Remove }> = {
  'app.bsky.actor.profile': { put: putProfile, remove: removeProfile },
  'app.bsky.feed.post': { put: putPost, remove: removePost },
  'app.bsky.feed.repost': { put: putRepost, remove: removeRepost },
  'app.bsky.feed.like': { put: putLike, remove: removeLike },
  'app.bsky.feed.threadgate': { put: putThreadgate, remove: removeThreadgate },
  'app.bsky.feed.postgate': { put: putPostgate, remove: removePostgate },
  'app.bsky.graph.follow': { put: putFollow, remove: removeFollow },
  'app.bsky.graph.block': { put: putBlock, remove: removeBlock },
  'app.bsky.graph.list': { put: putList, remove: removeList },
  'app.bsky.graph.listitem': { put: putListItem, remove: removeListItem },
  'app.bsky.graph.listblock': { put: putListBlock, remove: removeListBlock },
  'app.bsky.feed.generator': records,
  'app.bsky.graph.starterpack': records,
  'app.bsky.labeler.service': records,
  'app.bsky.actor.status': records,
  'app.bsky.graph.verification': records,
  'app.bsky.notification.declaration': records,
  'chat.bsky.actor.declaration': records,
  'com.germnetwork.declaration': records,
}

/** `isUpdate`: the stream said that the key existed before. */
export function applyWrite(ctx: IndexContext, write: RecordWrite, isUpdate: boolean): Outcome {
  if (isOfDeletedAccount(ctx, write)) return 'account-deleted'
  if (isTombstoned(ctx, write)) return 'late'
  ctx.happenedAt = Math.min(write.indexedAt, write.seenAtUs / 1000)
  const outcome = indexers[write.collection].put(ctx, write)
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
 * A deletion of something never seen is remembered too where its creation would be kept, since
 * that may still come.
 */
export function applyRemoval(ctx: IndexContext, removal: RecordRemoval): Outcome {
  if (isOfDeletedAccount(ctx, removal)) return 'account-deleted'
  if (isTombstoned(ctx, { ...removal, fetchedAt: undefined })) return 'late'
  ctx.happenedAt = removal.seenAtUs / 1000
  const wasThere = indexers[removal.collection].remove(ctx, removal)
  const isRemembered =
    wasThere ||
    ctx.scope === 'network' ||
    isAuthor(ctx, removal.uid) ||
    isImportingFollows(ctx, removal.collection)
  if (isRemembered) writeTombstone(ctx, removal)
  return wasThere ? 'applied' : 'unknown-key'
}
