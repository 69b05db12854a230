// app.bsky.graph.verification: one account vouches for the identity of another. Kept for known accounts; a
// trusted verifier's verifications are all kept, since their subjects may turn up any day.

import { type IndexContext, internActor, isAuthor } from '../index-context.ts'
import {
  notifyOfNoVerification,
  notifyOfVerification,
} from '../notifications/notify-verification.ts'
import { type CollectionRules, uidOf } from './collection-rules.ts'
import { putSmallRecord, smallRecord, takeSmallRecord } from './small-records.ts'

const put: CollectionRules['put'] = (ctx, write) => {
  const did = write.record['subject'] as string
  const isOwn = ctx.scope === 'network' || isAuthor(ctx, write.uid)
  const isStored = isOwn || isTrustedVerifier(ctx, write.did) || ctx.actors.uidOf(did) !== 0
  const subject = () => internActor(ctx, did)
  const outcome = putSmallRecord(ctx, write, { isStored, subject })
  if (outcome !== 'applied') return outcome
  notifyOfVerification(ctx, write, { uid: ctx.actors.uidOf(write.did), subject: subject() })
  return outcome
}

const remove: CollectionRules['remove'] = (ctx, removal) => {
  const row = takeSmallRecord(ctx, removal)
  if (row) notifyOfNoVerification(ctx, removal, row)
  return row !== undefined
}

/** Whether the account's verifications are kept whatever their subject. */
function isTrustedVerifier(ctx: IndexContext, did: string): boolean {
  return ctx.trustedVerifiers.has(did)
}

export const verification: CollectionRules = {
  ...smallRecord('app.bsky.graph.verification'),
  put,
  remove,
  isFar: (ctx, _uid, { record, did }) =>
    uidOf(ctx, record['subject']) === 0 && !isTrustedVerifier(ctx, did),
  // Always parsed: there are few, and a trusted verifier may verify any account.
  isFarUnread: () => false,
}
