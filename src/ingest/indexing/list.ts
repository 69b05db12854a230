// app.bsky.graph.list.

import { emptyList, fillList, findList, insertStubList } from '../../data/store/lists.ts'
import {
  type IndexContext,
  internActor,
  isAuthor,
  type Outcome,
  type RecordRemoval,
  type RecordWrite,
  recordJson,
  sortAtOf,
} from './index-context.ts'
import { isOutdated } from './lateness.ts'

export function putList(ctx: IndexContext, write: RecordWrite): Outcome {
  const row = write.uid === 0 ? undefined : findList(ctx.db, write.uid, write.rkey)
  if (!row && ctx.scope !== 'network' && !isAuthor(ctx, write.uid)) return 'out-of-scope'
  if (row?.cid?.equals(write.cid)) return 'duplicate'
  if (row && isOutdated(row, write)) return 'late'
  const uid = internActor(ctx, write.did)
  fillList(ctx.db, {
    id: row?.id ?? insertStubList(ctx.db, uid, write.rkey),
    uid,
    cid: write.cid,
    rev: write.rev ?? row?.rev ?? null,
    purpose: String(write.record['purpose']),
    record: recordJson(write),
    sort_at: sortAtOf(write),
  })
  return 'applied'
}

export function removeList(ctx: IndexContext, { uid, rkey, rev }: RecordRemoval): boolean {
  const row = findList(ctx.db, uid, rkey)
  if (!row || isOutdated(row, { rev })) return false
  emptyList(ctx.db, row, rev)
  return true
}
