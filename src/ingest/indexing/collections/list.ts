// app.bsky.graph.list.

import { keysIn } from '../../../data/store/fetching/stored-keys.ts'
import { listItems } from '../../../data/store/records/list-items.ts'
import {
  emptyList,
  emptyListsOf,
  fillList,
  findList,
  insertStubList,
} from '../../../data/store/records/lists.ts'
import { GC, putGcCandidate, type Reached } from '../../../data/store/removal/gc-candidates.ts'
import { blockersByList, dropList, listsBy } from '../../../data/store/removal/unneeded.ts'
import {
  type IndexContext,
  internCreator,
  isAuthor,
  type Outcome,
  type RecordRemoval,
  type RecordWrite,
  recordJson,
  sortAtOf,
} from '../index-context.ts'
import { isOutdated } from '../lateness.ts'
import { isListInUse } from '../retention/list-needs.ts'
import { goesOnAfter, keyAfter, PAGE } from '../retention/step.ts'
import { type CollectionRules, isOfNobodyKnown, isUnreadStrangers } from './collection-rules.ts'
import { listBlocks } from './list-block.ts'

function put(ctx: IndexContext, write: RecordWrite): Outcome {
  const row = write.uid === 0 ? undefined : findList(ctx.db, write.uid, write.rkey)
  if (!row && ctx.scope !== 'network' && !isAuthor(ctx, write.uid)) return 'out-of-scope'
  if (row?.cid?.equals(write.cid)) return 'duplicate'
  if (row && isOutdated(row, write)) return 'late'
  const uid = internCreator(ctx, write)
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

function remove(ctx: IndexContext, { uid, rkey, rev }: RecordRemoval): boolean {
  const row = findList(ctx.db, uid, rkey)
  if (!row || isOutdated(row, { rev })) return false
  emptyList(ctx.db, row, rev)
  return true
}

function sweepListItems(ctx: IndexContext, uid: number, reached: Reached | null) {
  const page = listItems.page(ctx.db, uid, { after: keyAfter(reached), limit: PAGE })
  const isInUse = remembering((list) => isListInUse(ctx, list, uid))
  for (const { rkey, list, subject } of page) {
    if (isInUse(list)) continue
    listItems.remove(ctx.db, uid, rkey)
    putGcCandidate(ctx.db, GC.account, subject)
  }
  return goesOnAfter(page, ({ rkey }) => rkey)
}

function sweepLists(ctx: IndexContext, uid: number, reached: Reached | null) {
  const page = listsBy(ctx.db, uid, { after: keyAfter(reached), limit: PAGE })
  for (const { id, people } of page) {
    if (isListInUse(ctx, id, uid)) continue
    for (const block of listBlocks.someNaming(ctx.db, 'list', id, PAGE)) {
      listBlocks.remove(ctx.db, block.uid, block.rkey)
      putGcCandidate(ctx.db, GC.account, block.uid)
    }
    // Queued again for the next page of blocks.
    if (blockersByList(ctx.db, id).length > 0) putGcCandidate(ctx.db, GC.lists, uid)
    else if (people === 0) dropList(ctx.db, id, uid)
    else emptyList(ctx.db, { id, uid }, null)
  }
  return goesOnAfter(page, ({ rkey }) => rkey)
}

/** Caches answers, since a page has many items of the same list. */
function remembering(ask: (list: number) => boolean): (list: number) => boolean {
  const answers = new Map<number, boolean>()
  return (list) => {
    const answer = answers.get(list) ?? ask(list)
    answers.set(list, answer)
    return answer
  }
}

export const list: CollectionRules = {
  put,
  remove,
  isFar: isOfNobodyKnown,
  isFarUnread: isUnreadStrangers,
  removeAll: (ctx, uid) => emptyListsOf(ctx.db, uid),
  // Items go before the check whether a list is empty.
  release: [sweepListItems, sweepLists],
  storedKeys: keysIn('lists'),
  readWith: 'lists',
}
