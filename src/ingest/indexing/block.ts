// app.bsky.graph.block.

import { deleteBlock, findBlock, insertBlock } from '../../data/store/blocks.ts'
import {
  type IndexContext,
  internActor,
  isSameEdge,
  isTieKept,
  type Outcome,
  type RecordRemoval,
  type RecordWrite,
  sortAtOf,
} from './index-context.ts'

export function putBlock(ctx: IndexContext, write: RecordWrite): Outcome {
  const subjectDid = write.record['subject'] as string
  if (!isTieKept(ctx, write.uid, subjectDid)) return 'out-of-scope'
  const uid = internActor(ctx, write.did)
  const subject = internActor(ctx, subjectDid)
  const existing = findBlock(ctx.db, uid, write.rkey)
  const sortAt = sortAtOf(write)
  if (existing && isSameEdge(existing, { subject, sortAt }, write)) return 'duplicate'
  if (existing) deleteBlock(ctx.db, existing)
  insertBlock(ctx.db, { uid, rkey: write.rkey, subject, sortAt, createdAt: sortAt })
  return 'applied'
}

export function removeBlock(ctx: IndexContext, { uid, rkey }: RecordRemoval): boolean {
  const existing = findBlock(ctx.db, uid, rkey)
  if (existing) deleteBlock(ctx.db, existing)
  return existing !== undefined
}
