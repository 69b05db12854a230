// app.bsky.graph.verification: one account says who another is. Kept where it is about accounts that we know; all that
// a trusted verifier says is kept, since whom it is about may turn up any day.

import { type IndexContext, internActor, isAuthor } from '../index-context.ts'
import { notifyOfNoVerification, notifyOfVerification } from '../notify-verification.ts'
import { type CollectionRules, uidOf } from './collection-rules.ts'
import { putSmallRecord, smallRecord, takeSmallRecord } from './small-records.ts'

const put: CollectionRules['put'] = (ctx, write) => {
  const did = write.record['subject'] as string
  const isOwn = ctx.scope === 'network' || isAuthor(ctx, write.uid)
  const isKept = isOwn || isTrustedVerifier(ctx, write.did) || ctx.actors.uidOf(did) !== 0
  const subject = () => internActor(ctx, did)
  const outcome = putSmallRecord(ctx, write, { isKept, subject })
  if (outcome !== 'applied') return outcome
  notifyOfVerification(ctx, write, { uid: ctx.actors.uidOf(write.did), subject: subject() })
  return outcome
}

const remove: CollectionRules['remove'] = (ctx, removal) => {
  const row = takeSmallRecord(ctx, removal)
  if (row) notifyOfNoVerification(ctx, removal, row)
  return row !== undefined
}

/** Whether what they say is kept whatever account it is about. */
function isTrustedVerifier(ctx: IndexContext, did: string): boolean {
  return ctx.trustedVerifiers.has(did)
}

export const verification: CollectionRules = {
  ...smallRecord('app.bsky.graph.verification'),
  put,
  remove,
  isFar: (ctx, _uid, { record, did }) =>
    uidOf(ctx, record['subject']) === 0 && !isTrustedVerifier(ctx, did),
  // Few, and whoever is trusted may say it of anybody: read at once.
  isFarUnread: () => false,
}
