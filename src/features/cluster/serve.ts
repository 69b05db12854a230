// The serving threads' part: what they share with other nodes on the engine.

import { settingsOf } from '../../base/config/every-setting.ts'
import type { ServeFeature } from '../../http/feature.ts'
import { clusterMetrics } from './metrics.ts'
import { clusterSettings } from './settings.ts'
import { shareOnEngine, soleGauges } from './sharing.ts'

export const serve: ServeFeature = {
  metrics: clusterMetrics,
  share: shareOnEngine,
  start({ config, thread }) {
    const isAlone = settingsOf(config, clusterSettings).engine === undefined
    return isAlone && thread === 0 ? { gauges: soleGauges() } : {}
  },
}
