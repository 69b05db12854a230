// app.bsky.graph.block.

import { blockEdges } from '../../../data/store/edges/all-edges.ts'
import type { Edge } from '../../../data/store/edges/edge.ts'
import { keysOfEdges } from '../../../data/store/fetching/stored-keys.ts'
import { deleteBlock, deleteBlocksOf, insertBlock } from '../../../data/store/records/blocks.ts'
import {
  type IndexContext,
  internActor,
  internCreator,
  isAuthor,
  isSameEdge,
  isTieStored,
  type Outcome,
  type RecordRemoval,
  type RecordWrite,
  sortAtOf,
} from '../index-context.ts'
import { addBoth } from '../records/gc-posts.ts'
import { storeUnusualRelation } from '../records/reaction-record.ts'
import { removeEdges } from '../removal/remove-edges.ts'
import { dropPointedBy, dropPointers, isStoredSubject } from '../retention/sweep-edges.ts'
import { type CollectionRules, isAboutFarAccount, isUnreadRelation } from './collection-rules.ts'

function put(ctx: IndexContext, write: RecordWrite): Outcome {
  const subjectDid = write.record['subject'] as string
  if (!isTieStored(ctx, write.uid, subjectDid)) return 'out-of-scope'
  const uid = internCreator(ctx, write)
  const subject = internActor(ctx, subjectDid)
  const existing = blockEdges.find(ctx.db, uid, write.rkey)
  const sortAt = sortAtOf(write)
  if (existing && isSameEdge(existing, { subject, sortAt }, write)) return 'duplicate'
  const isFull = existing?.subject !== subject && blockEdges.isFull(ctx.db, uid, subject)
  if (existing) deleteBlock(ctx.db, existing)
  if (isFull) return 'too-often'
  insertBlock(ctx.db, { uid, rkey: write.rkey, subject, sortAt, createdAt: sortAt })
  storeUnusualRelation(ctx, { ...write, uid, collection: 'app.bsky.graph.block' }, sortAt)
  return 'applied'
}

function remove(ctx: IndexContext, { uid, rkey }: RecordRemoval): boolean {
  const existing = blockEdges.find(ctx.db, uid, rkey)
  if (existing) deleteBlock(ctx.db, existing)
  return existing !== undefined
}

/** Drops a block that is no longer needed; its creator did not delete it. */
function drop(ctx: IndexContext, edge: Edge): void {
  deleteBlock(ctx.db, edge)
  addBoth(ctx, edge)
}

export const block: CollectionRules = {
  put,
  remove,
  isFar: isAboutFarAccount,
  isFarUnread: isUnreadRelation,
  removeSome: removeEdges(blockEdges, (ctx, edge) => deleteBlock(ctx.db, edge)),
  removeAll: (ctx, uid) => deleteBlocksOf(ctx.db, uid),
  release: [
    dropPointers(blockEdges, drop, isStoredSubject),
    dropPointedBy(blockEdges, drop, isAuthor),
  ],
  storedKeys: keysOfEdges(blockEdges),
  readWith: 'blocks',
}
