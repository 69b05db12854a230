// The serving threads' part: the service under /v1, and tokens on the operator's routes.

import type { ServeFeature } from '../../http/feature.ts'
import { sharedByNodes } from './http/shared-by-nodes.ts'
import { addTokens } from './operator/tokens.ts'
import { timelineRoutes } from './service.ts'

export const serve: ServeFeature = {
  operatorRoutes: addTokens,
  operatorHints: { TokenError: '`slipstream token list` lists them.' },
  start(parts) {
    const { routes, close } = timelineRoutes({
      ...parts,
      names: parts.app.names,
      shared: sharedByNodes(parts.sharedByNodes),
    })
    return { routes, close }
  },
}
