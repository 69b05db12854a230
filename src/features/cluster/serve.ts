// The serving threads' part: what they share with other nodes on the engine.

import { settingsOf } from '../../base/config/every-setting.ts'
import type { ServeFeature } from '../../http/feature.ts'
import { createBucketLoad } from './bucket-load.ts'
import { clusterMetrics } from './metrics.ts'
import { clusterSettings } from './settings.ts'
import { shareOnEngine, soleGauges } from './sharing.ts'

export const serve: ServeFeature = {
  metrics: clusterMetrics,
  share: shareOnEngine,
  start({ config, thread }) {
    const isAlone = settingsOf(config, clusterSettings).engine === undefined
    const leases = isAlone && thread === 0 ? soleGauges() : undefined
    const load = createBucketLoad()
    return { onMemberTime: load.add, gauges: () => ({ ...leases?.(), ...load.gauges() }) }
  },
}
