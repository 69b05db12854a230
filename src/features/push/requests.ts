// Stores the devices that members register for pushes, and the state of pushing itself.

import type { WriterRequest } from '../../bridge/messages.ts'
import { type IndexContext, internActor } from '../../ingest/indexing/index-context.ts'
import {
  beginPushes,
  deletePushRegistration,
  putPushRegistration,
  setPushesTold,
} from './store/registrations.ts'

type PushChange = Extract<
  WriterRequest,
  { kind: 'register-push' | 'unregister-push' | 'begin-pushes' | 'pushes-told' }
>

export function changePushes(ctx: IndexContext, change: PushChange): void {
  const { db, now } = ctx
  const { did } = change
  if (change.kind === 'register-push') {
    const { endpoint, p256dh, auth, appId } = change
    const uid = internActor(ctx, did)
    putPushRegistration(db, { uid, endpoint, p256dh, auth, appId, createdAt: now })
  } else if (change.kind === 'unregister-push') {
    deletePushRegistration(db, ctx.actors.uidOf(did), change.endpoint)
  } else if (change.kind === 'begin-pushes') beginPushes(db, change)
  else setPushesTold(db, change.told)
}
