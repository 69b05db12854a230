// The addresses of the pages. What they show is asked of our own methods, as any visitor may.

import { settingsOf } from '../../base/config/every-setting.ts'
import type { ServeFeature } from '../../http/feature.ts'
import { PATTERNS, visitorRoutes } from './routes.ts'
import { visitorSettings } from './settings.ts'

/** Of a visitor's rate limit. The one or two answers that a page is made of cost as if asked for by themselves. */
const CHARGE = {
  route: 'pages',
  points: 1,
  from: 'visitor',
  patterns: PATTERNS,
} as const

export const serve: ServeFeature = {
  start({ config, visit }) {
    if (!settingsOf(config, visitorSettings).visitorPages) return {}
    return {
      routes: [{ path: '/', app: visitorRoutes(config, visit), charges: [CHARGE] }],
    }
  },
}
