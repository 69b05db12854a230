// app.bsky.graph.listblock. Blocks everyone on a list, so the list must be known.

import { enqueueJob } from '../../../data/store/fetching/jobs.ts'
import { recordRows } from '../../../data/store/records/record-rows.ts'
import { GC, putGcCandidate } from '../../../data/store/removal/gc-candidates.ts'
import { listBlocksBy } from '../../../data/store/removal/unneeded.ts'
import { type IndexContext, isAuthor, type Outcome, type RecordWrite } from '../index-context.ts'
import { ensureList, lookUpList } from '../records/post-rows.ts'
import { authorityOf, LIST_COLLECTION, parseRecordUri } from '../records/record-fields.ts'
import { isListInUse } from '../retention/list-needs.ts'
import { goesOnAfter, keyAfter, PAGE } from '../retention/step.ts'
import { type CollectionRules, isKnown, namesNone, uidOf } from './collection-rules.ts'
import { plainRecord } from './plain-record.ts'

export const listBlocks = recordRows('list_blocks')
const plain = plainRecord(listBlocks)

function put(ctx: IndexContext, write: RecordWrite): Outcome {
  const ref = parseRecordUri(write.record['subject'], LIST_COLLECTION)
  if (!ref) return 'subject-unusable'
  const isOwn = isAuthor(ctx, write.uid)
  const isStored = isOwn || ctx.scope === 'network' || lookUpList(ctx, ref) !== undefined
  if (!isStored) return 'out-of-scope'
  return plain.put(ctx, write, () => {
    const list = ensureList(ctx, ref)
    if (isOwn && list.isStub) enqueueJob(ctx.db, 'list', list.id)
    return { list: list.id }
  })
}

export const listBlock: CollectionRules = {
  ...plain.rules,
  put,
  isFar: (ctx, _uid, { record }) => uidOf(ctx, authorityOf(record['subject'])) === 0,
  isFarUnread: (ctx, _uid, commit) => namesNone(ctx, commit, isKnown),
  release: [
    (ctx, uid, reached) => {
      const page = listBlocksBy(ctx.db, uid, { after: keyAfter(reached), limit: PAGE })
      for (const { rkey, list, owner } of page) {
        if (isListInUse(ctx, list, owner)) continue
        listBlocks.remove(ctx.db, uid, rkey)
        putGcCandidate(ctx.db, GC.lists, owner)
      }
      return goesOnAfter(page, ({ rkey }) => rkey)
    },
  ],
  readWith: 'blocks',
}
