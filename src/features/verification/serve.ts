// The serving threads' part: metrics.

import type { ServeFeature } from '../../http/feature.ts'
import { verificationMetrics } from './metrics.ts'

export const serve: ServeFeature = { metrics: verificationMetrics }
