// The writer's part: what an official AppView writes that has no request in XRPC, and what it may ask about
// accounts that are no members.

import { settingsOf } from '../../base/config/every-setting.ts'
import { type IngestFeature, requestHandlers } from '../../ingest/feature.ts'
import { internActor } from '../../ingest/indexing/index-context.ts'
import type { DataplaneRequests } from './requests.ts'
import { dataplaneSettings } from './settings.ts'
import { putAgeAssurance } from './store/age-assurance.ts'
import { appendOperation, deleteOperations } from './store/bsync-operations.ts'

export const ingest: IngestFeature = {
  requests: requestHandlers<DataplaneRequests>({
    'dataplane/log-operation': (ctx, did, { stream, namespace, operation }) =>
      appendOperation(ctx.db, stream, { did, namespace, operation }),
    'dataplane/delete-operations': (ctx, did, { namespace }) =>
      deleteOperations(ctx.db, did, namespace),
    'dataplane/age-assurance': (ctx, did, found) =>
      putAgeAssurance(ctx.db, { ...found, uid: internActor(ctx, did) }),
  }),
  aboutAll(config) {
    const { dataplaneNotificationDays, dataplanePort } = settingsOf(config, dataplaneSettings)
    return {
      notificationDays: dataplaneNotificationDays,
      // The frontend tells any account's server how much of its repository the answer includes.
      revs: dataplanePort !== undefined,
    }
  },
}
