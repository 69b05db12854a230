// The writer's part: applies what other nodes changed, and holds only the timelines of its own members.

import { settingsOf } from '../../base/config/every-setting.ts'
import { type IngestFeature, requestHandlers } from '../../ingest/feature.ts'
import { applyClusterState } from './cluster-state/apply-cluster-state.ts'
import { createHeldBuckets } from './engine/held-buckets.ts'
import { createOwnRings } from './own-rings.ts'
import type { ClusterRequests } from './requests.ts'
import { clusterSettings } from './settings.ts'
import { applySharedState } from './state/apply-changes.ts'

export const ingest: IngestFeature = {
  requests: requestHandlers<ClusterRequests>({
    'cluster/state': (ctx, did, changes, { accepted }) =>
      applySharedState(ctx, did, changes, accepted),
    'cluster/place': (ctx, _did, changes) => applyClusterState(ctx, changes),
  }),
  start(config, core) {
    if (settingsOf(config, clusterSettings).engine === undefined) return {}
    const held = createHeldBuckets()
    const own = createOwnRings({ ...core, held })
    core.isOurTimeline = own.isOurs
    // The engine counts the seats.
    return { memory: { cluster: held.buffer }, countsSeats: true, stop: own.stop }
  },
}
