// app.bsky.graph.listitem. Only a list's creator may add to it.

import type { PackedRkey } from '../../../base/atproto/keys.ts'
import { keysIn } from '../../../data/store/fetching/stored-keys.ts'
import {
  deleteListItem,
  deleteListItemsOf,
  findListItem,
  insertListItem,
} from '../../../data/store/records/list-items.ts'
import { GC, putGcCandidate } from '../../../data/store/removal/gc-candidates.ts'
import { listItemsBy } from '../../../data/store/removal/unneeded.ts'
import {
  type IndexContext,
  internActor,
  internCreator,
  isAuthor,
  isMember,
  type Outcome,
  type RecordRemoval,
  type RecordWrite,
  sortAtOf,
} from '../index-context.ts'
import { ensureList, lookUpList } from '../records/post-rows.ts'
import { keepUnusualRelation } from '../records/reaction-record.ts'
import { LIST_COLLECTION, parseRecordUri, type RecordRef } from '../records/record-fields.ts'
import { type CollectionRules, namesNone, uidOf } from './collection-rules.ts'

function put(ctx: IndexContext, write: RecordWrite): Outcome {
  const ref = parseRecordUri(write.record['list'], LIST_COLLECTION)
  if (!ref) return 'subject-unusable'
  if (ref.did !== write.did) return 'wrong-key'
  const subjectDid = write.record['subject'] as string
  if (!isKept(ctx, write.uid, ref, subjectDid)) return 'out-of-scope'
  const uid = internCreator(ctx, write)
  const row = {
    uid,
    rkey: write.rkey,
    list: ensureList(ctx, ref).id,
    subject: internActor(ctx, subjectDid),
    sort_at: sortAtOf(write),
  }
  const existing = findListItem(ctx.db, uid, write.rkey)
  const isSame = existing?.list === row.list && existing.subject === row.subject
  if (isSame && (existing.sort_at === row.sort_at || write.rev === undefined)) return 'duplicate'
  if (existing) dropListItem(ctx, write, existing)
  insertListItem(ctx.db, row)
  keepUnusualRelation(ctx, { ...write, uid, collection: 'app.bsky.graph.listitem' }, row.sort_at)
  return 'applied'
}

function remove(ctx: IndexContext, removal: RecordRemoval): boolean {
  const row = findListItem(ctx.db, removal.uid, removal.rkey)
  if (row) dropListItem(ctx, removal, row)
  return row !== undefined
}

/** A stranger's list may have been stored only because of this member. */
function dropListItem(
  ctx: IndexContext,
  { uid, rkey }: { uid: number; rkey: PackedRkey },
  { subject }: { subject: number },
): void {
  deleteListItem(ctx.db, uid, rkey)
  const isForMember = isMember(ctx, subject) && !isAuthor(ctx, uid)
  if (isForMember && ctx.keptScope !== 'network') putGcCandidate(ctx.db, GC.lists, uid)
}

function isKept(ctx: IndexContext, uid: number, list: RecordRef, subjectDid: string): boolean {
  if (ctx.scope === 'network' || isAuthor(ctx, uid)) return true
  if (ctx.scope === 'authors') return lookUpList(ctx, list) !== undefined
  return isMember(ctx, ctx.actors.uidOf(subjectDid)) || lookUpList(ctx, list) !== undefined
}

function removeSome(ctx: IndexContext, uid: number, limit: number): number {
  const page = listItemsBy(ctx.db, uid, { after: '', limit })
  for (const row of page) dropListItem(ctx, { uid, rkey: row.rkey }, row)
  return page.length
}

export const listItem: CollectionRules = {
  put,
  remove,
  isFar: (ctx, uid, { record }) => uid === 0 && !isMember(ctx, uidOf(ctx, record['subject'])),
  isFarUnread: (ctx, uid, commit) => uid === 0 && namesNone(ctx, commit, isMember),
  removeSome,
  removeAll: (ctx, uid) => deleteListItemsOf(ctx.db, uid),
  // Items are removed with their list.
  release: [],
  storedKeys: keysIn('list_items'),
  readWith: 'lists',
}
