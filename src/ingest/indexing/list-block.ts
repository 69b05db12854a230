// app.bsky.graph.listblock. Blocks everyone on a list, which therefore must be known.

import { enqueueJob } from '../../data/store/jobs.ts'
import { deleteListBlock, findListBlock, insertListBlock } from '../../data/store/list-blocks.ts'
import {
  type IndexContext,
  internActor,
  isAuthor,
  type Outcome,
  type RecordRemoval,
  type RecordWrite,
  sortAtOf,
} from './index-context.ts'
import { ensureList, lookUpList } from './post-rows.ts'
import { LIST_COLLECTION, parseRecordUri } from './record-keys.ts'

export function putListBlock(ctx: IndexContext, write: RecordWrite): Outcome {
  const ref = parseRecordUri(write.record['subject'], LIST_COLLECTION)
  if (!ref) return 'subject-unusable'
  const isOwn = isAuthor(ctx, write.uid)
  const isKept = isOwn || ctx.scope === 'network' || lookUpList(ctx, ref) !== undefined
  if (!isKept) return 'out-of-scope'
  const uid = internActor(ctx, write.did)
  const list = ensureList(ctx, ref)
  const sortAt = sortAtOf(write)
  const existing = findListBlock(ctx.db, uid, write.rkey)
  const isSame = existing?.list === list.id
  if (isSame && (existing.sort_at === sortAt || write.rev === undefined)) return 'duplicate'
  if (existing) deleteListBlock(ctx.db, uid, write.rkey)
  insertListBlock(ctx.db, { uid, rkey: write.rkey, list: list.id, sort_at: sortAt })
  if (isOwn && list.isStub) enqueueJob(ctx.db, 'list', list.id)
  return 'applied'
}

export function removeListBlock(ctx: IndexContext, { uid, rkey }: RecordRemoval): boolean {
  return deleteListBlock(ctx.db, uid, rkey)
}
