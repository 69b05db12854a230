// app.bsky.graph.listblock. Blocks everyone on a list, so the list must be known.

import { enqueueJob } from '../../../data/store/fetching/jobs.ts'
import { keysIn } from '../../../data/store/fetching/stored-keys.ts'
import {
  deleteListBlock,
  deleteListBlocksOf,
  findListBlock,
  insertListBlock,
} from '../../../data/store/records/list-blocks.ts'
import { GC, putGcCandidate } from '../../../data/store/removal/gc-candidates.ts'
import { listBlocksBy } from '../../../data/store/removal/unneeded.ts'
import {
  type IndexContext,
  internCreator,
  isAuthor,
  type Outcome,
  type RecordWrite,
  sortAtOf,
} from '../index-context.ts'
import { ensureList, lookUpList } from '../records/post-rows.ts'
import { keepUnusualRelation } from '../records/reaction-record.ts'
import { authorityOf, LIST_COLLECTION, parseRecordUri } from '../records/record-fields.ts'
import { isListInUse } from '../retention/list-needs.ts'
import { goesOnAfter, keyAfter, PAGE } from '../retention/step.ts'
import { type CollectionRules, isKnown, namesNone, uidOf } from './collection-rules.ts'

function put(ctx: IndexContext, write: RecordWrite): Outcome {
  const ref = parseRecordUri(write.record['subject'], LIST_COLLECTION)
  if (!ref) return 'subject-unusable'
  const isOwn = isAuthor(ctx, write.uid)
  const isKept = isOwn || ctx.scope === 'network' || lookUpList(ctx, ref) !== undefined
  if (!isKept) return 'out-of-scope'
  const uid = internCreator(ctx, write)
  const list = ensureList(ctx, ref)
  const sortAt = sortAtOf(write)
  const existing = findListBlock(ctx.db, uid, write.rkey)
  const isSame = existing?.list === list.id
  if (isSame && (existing.sort_at === sortAt || write.rev === undefined)) return 'duplicate'
  if (existing) deleteListBlock(ctx.db, uid, write.rkey)
  insertListBlock(ctx.db, { uid, rkey: write.rkey, list: list.id, sort_at: sortAt })
  keepUnusualRelation(ctx, { ...write, uid, collection: 'app.bsky.graph.listblock' }, sortAt)
  if (isOwn && list.isStub) enqueueJob(ctx.db, 'list', list.id)
  return 'applied'
}

export const listBlock: CollectionRules = {
  put,
  remove: (ctx, { uid, rkey }) => deleteListBlock(ctx.db, uid, rkey),
  isFar: (ctx, _uid, { record }) => uidOf(ctx, authorityOf(record['subject'])) === 0,
  isFarUnread: (ctx, _uid, commit) => namesNone(ctx, commit, isKnown),
  removeAll: (ctx, uid) => deleteListBlocksOf(ctx.db, uid),
  release: [
    (ctx, uid, reached) => {
      const page = listBlocksBy(ctx.db, uid, { after: keyAfter(reached), limit: PAGE })
      for (const { rkey, list, owner } of page) {
        if (isListInUse(ctx, list, owner)) continue
        deleteListBlock(ctx.db, uid, rkey)
        putGcCandidate(ctx.db, GC.lists, owner)
      }
      return goesOnAfter(page, ({ rkey }) => rkey)
    },
  ],
  storedKeys: keysIn('list_blocks'),
  readWith: 'blocks',
}
