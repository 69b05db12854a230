// The addresses of the pages. What they show is asked of our own methods, as any visitor may.

import { settingsOf } from '../../base/config/every-setting.ts'
import type { ServeFeature } from '../../http/feature.ts'
import { createAsk } from './ask.ts'
import { PATTERNS, visitorRoutes } from './routes.ts'
import { visitorSettings } from './settings.ts'

/** Of a visitor's rate limit: a page is made of one or two answers. */
const CHARGE = {
  route: 'pages',
  points: 5,
  from: 'visitor',
  patterns: PATTERNS,
} as const

export const serve: ServeFeature = {
  start({ config, visit }) {
    if (!settingsOf(config, visitorSettings).visitorPages) return {}
    return {
      routes: [{ path: '/', app: visitorRoutes(config, createAsk(visit)), charges: [CHARGE] }],
    }
  },
}
