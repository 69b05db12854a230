// The writer's part: where members stopped reading.

import { type IngestFeature, requestHandlers } from '../../ingest/feature.ts'
import { internActor } from '../../ingest/indexing/index-context.ts'
import type { ReadRequests } from './requests.ts'
import { putPosition } from './store/positions.ts'

export const ingest: IngestFeature = {
  requests: requestHandlers<ReadRequests>({
    'read/position': (ctx, did, { timeline, position }) =>
      putPosition(ctx.db, { uid: internActor(ctx, did), timeline, position, updatedAt: ctx.now }),
  }),
}
