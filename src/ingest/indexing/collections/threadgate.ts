// app.bsky.feed.threadgate: who may reply. It applies to later replies; earlier ones keep their flag, as in
// the reference, unless the gate itself arrives late.

import { enqueueJob } from '../../../data/store/fetching/jobs.ts'
import { HAS_THREADGATE } from '../../../data/store/posts/post-flags.ts'
import { findPostHandle } from '../../../data/store/posts/posts.ts'
import { type IndexContext, isAuthor, type Outcome, type RecordWrite } from '../index-context.ts'
import { reviseGatedReplies } from '../records/late-gate.ts'
import { ensureList } from '../records/post-rows.ts'
import { readThreadgate } from '../records/reply-rules.ts'
import type { CollectionRules } from './collection-rules.ts'
import { gateRules } from './gate.ts'

const gate = gateRules({ table: 'threadgates', flag: HAS_THREADGATE })

function put(ctx: IndexContext, write: RecordWrite): Outcome {
  const post = write.uid === 0 ? undefined : findPostHandle(ctx.db, write.uid, write.rkey)
  const outcome = gate.put(ctx, write)
  const isFirst = post !== undefined && !(post.flags & HAS_THREADGATE)
  if (outcome === 'applied' && isFirst) reviseGatedReplies(ctx, post.id, write.createdAt)
  if (outcome === 'applied' && isAuthor(ctx, write.uid)) fetchLists(ctx, write)
  return outcome
}

/** Lists whose members may reply must be known to judge replies. */
function fetchLists(ctx: IndexContext, write: RecordWrite): void {
  for (const ref of readThreadgate(write.record)?.lists ?? []) {
    const list = ensureList(ctx, ref)
    if (list.isStub) enqueueJob(ctx.db, 'list', list.id)
  }
}

export const threadgate: CollectionRules = { ...gate, put }
