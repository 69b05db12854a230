// The client's page and files, and the methods of ours that it needs.

import { settingsOf } from '../../base/config/every-setting.ts'
import type { ServeFeature } from '../../http/feature.ts'
import { DISCOVER_URI } from '../../http/xrpc/feeds/discover-feed.ts'
import { signInSettings } from '../sign-in/settings.ts'
import { getPosition, putPosition } from './positions.ts'
import { getPostReasons } from './post-reasons.ts'
import { readRoutes } from './routes.ts'
import { getTimelineState } from './timeline-state.ts'

const CHARGE = {
  route: 'pages',
  points: 1,
  from: 'pages',
  patterns: ['/read', '/read/*'],
} as const

export const serve: ServeFeature = {
  methods: ({ reasonableLimit }) => [
    getPosition,
    putPosition,
    getPostReasons(reasonableLimit),
    getTimelineState(reasonableLimit),
  ],
  start({ config, app }) {
    if (!settingsOf(config, signInSettings).signIn) return {}
    const forYou = () => (app.ownFeeds.of(DISCOVER_URI) ? DISCOVER_URI : undefined)
    return { routes: [{ path: '/', app: readRoutes(config, forYou), charges: [CHARGE] }] }
  },
}
