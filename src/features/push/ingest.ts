// The writer's part: devices that members register, their quiet hours, the signing key, and how far notifications were read.

import { type IngestFeature, requestHandlers } from '../../ingest/feature.ts'
import { internActor } from '../../ingest/indexing/index-context.ts'
import type { PushRequests } from './requests.ts'
import { putQuietHours } from './store/quiet-hours.ts'
import {
  beginPushes,
  deletePushRegistration,
  putPushRegistration,
  setPushesNotified,
} from './store/registrations.ts'

export const ingest: IngestFeature = {
  requests: requestHandlers<PushRequests>({
    'push/register': (ctx, did, device) =>
      putPushRegistration(ctx.db, {
        ...device,
        uid: internActor(ctx, did),
        createdAt: ctx.now,
      }),
    'push/unregister': (ctx, did, { endpoint }) =>
      deletePushRegistration(ctx.db, ctx.actors.uidOf(did), endpoint),
    'push/quiet-hours': (ctx, did, { hours }) =>
      putQuietHours(ctx.db, internActor(ctx, did), hours),
    'push/begin': (ctx, _did, keys) => beginPushes(ctx.db, keys),
    'push/notified': (ctx, _did, { upTo }) => setPushesNotified(ctx.db, upTo),
  }),
}
