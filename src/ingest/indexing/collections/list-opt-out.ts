// app.bsky.graph.referencelistoptout: an account does not want to be shown on lists that starter packs use.
// Kept if the list's owner is known, as one of its creator's small records: there are few.

import { internActor } from '../index-context.ts'
import { authorityOf, LIST_COLLECTION, parseRecordUri } from '../records/record-fields.ts'
import { type CollectionRules, isKnown, namesNone, uidOf } from './collection-rules.ts'
import { putSmallRecord, smallRecord } from './small-records.ts'

const put: CollectionRules['put'] = (ctx, write) => {
  const list = parseRecordUri(write.record['subject'], LIST_COLLECTION)
  if (!list) return 'subject-unusable'
  const isStored = ctx.scope === 'network' || ctx.actors.uidOf(list.did) !== 0
  return putSmallRecord(ctx, write, { isStored, subject: () => internActor(ctx, list.did) })
}

export const listOptOut: CollectionRules = {
  ...smallRecord('app.bsky.graph.referencelistoptout'),
  put,
  isFar: (ctx, _uid, { record }) => uidOf(ctx, authorityOf(record['subject'])) === 0,
  isFarUnread: (ctx, _uid, commit) => namesNone(ctx, commit, isKnown),
}
