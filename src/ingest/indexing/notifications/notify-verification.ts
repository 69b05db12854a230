// Notifies accounts that a trusted verifier verified them, or no longer does. Other verifications do not
// count in profiles, so they notify no account. As in the reference, a withdrawn verification notifies with a
// record in place of the deleted one.

import { packCid } from '../../../base/atproto/keys.ts'
import type { RecordRow } from '../../../data/store/records/records.ts'
import type { IndexContext, RecordRemoval, RecordWrite } from '../index-context.ts'
import { recordJson, sortAtOf } from '../index-context.ts'
import { notify, withdrawNotifications } from './notify.ts'

const VERIFICATION = 'app.bsky.graph.verification'

/** The app.bsky.notification.defs#recordDeleted that the reference shows. */
const DELETED = {
  cid: packCid('bafyreidad6nyekfa4a67yfb573ptxiv6s7kyxyg2ra6qbbemcruadvtuim'),
  json: Buffer.from(JSON.stringify({ $type: 'app.bsky.notification.defs#recordDeleted' })),
}

/** @param uid - the verifier */
export function notifyOfVerification(
  ctx: IndexContext,
  write: RecordWrite,
  { uid, subject }: { uid: number; subject: number },
): void {
  if (!isTrusted(ctx, uid)) return
  const key = { author: uid, collection: VERIFICATION, rkey: write.rkey } as const
  const record = { ...key, cid: write.cid, json: recordJson(write) }
  notify(ctx, { to: subject, reason: 'verified', record, sortAt: sortAtOf(write) })
}

export function notifyOfNoVerification(
  ctx: IndexContext,
  { uid, rkey }: Pick<RecordRemoval, 'uid' | 'rkey'>,
  { subject }: Pick<RecordRow, 'subject'>,
): void {
  withdrawNotifications(ctx, { uid, collection: VERIFICATION, rkey })
  if (subject === null || !isTrusted(ctx, uid)) return
  const record = { author: uid, collection: VERIFICATION, rkey, ...DELETED } as const
  notify(ctx, { to: subject, reason: 'unverified', record, sortAt: ctx.now })
}

function isTrusted({ actors, trustedVerifiers }: IndexContext, uid: number): boolean {
  return trustedVerifiers.has(actors.didOf(uid))
}
