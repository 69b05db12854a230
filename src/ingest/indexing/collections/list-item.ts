// app.bsky.graph.listitem. Only a list's creator may add to it.

import { listItems } from '../../../data/store/records/list-items.ts'
import { GC, putGcCandidate } from '../../../data/store/removal/gc-candidates.ts'
import {
  type IndexContext,
  internActor,
  isAuthor,
  isMember,
  type Outcome,
  type RecordWrite,
} from '../index-context.ts'
import { ensureList, lookUpList } from '../records/post-rows.ts'
import { LIST_COLLECTION, parseRecordUri, type RecordRef } from '../records/record-fields.ts'
import { type CollectionRules, namesNone, uidOf } from './collection-rules.ts'
import { plainRecord } from './plain-record.ts'

/** A stranger's list may have been stored only because of this member. */
const plain = plainRecord(listItems, (ctx, { uid, subject }) => {
  const isForMember = isMember(ctx, subject) && !isAuthor(ctx, uid)
  if (isForMember && ctx.storedScope !== 'network') putGcCandidate(ctx.db, GC.lists, uid)
})

function put(ctx: IndexContext, write: RecordWrite): Outcome {
  const ref = parseRecordUri(write.record['list'], LIST_COLLECTION)
  if (!ref) return 'subject-unusable'
  if (ref.did !== write.did) return 'wrong-key'
  const subjectDid = write.record['subject'] as string
  if (!isStored(ctx, write.uid, ref, subjectDid)) return 'out-of-scope'
  return plain.put(ctx, write, () => ({
    list: ensureList(ctx, ref).id,
    subject: internActor(ctx, subjectDid),
  }))
}

function isStored(ctx: IndexContext, uid: number, list: RecordRef, subjectDid: string): boolean {
  if (ctx.scope === 'network' || isAuthor(ctx, uid)) return true
  if (ctx.scope === 'authors') return lookUpList(ctx, list) !== undefined
  return isMember(ctx, ctx.actors.uidOf(subjectDid)) || lookUpList(ctx, list) !== undefined
}

export const listItem: CollectionRules = {
  ...plain.rules,
  put,
  isFar: (ctx, uid, { record }) => uid === 0 && !isMember(ctx, uidOf(ctx, record['subject'])),
  isFarUnread: (ctx, uid, commit) => uid === 0 && namesNone(ctx, commit, isMember),
  // Items are removed with their list.
  release: [],
  readWith: 'lists',
}
