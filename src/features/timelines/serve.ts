// The serving threads' part: the service under /v1, and tokens on the operator's routes.

import type { ServeFeature } from '../../http/feature.ts'
import { addTokens } from '../../http/operator/tokens.ts'
import { timelineRoutes } from '../../http/serve/timelines.ts'
import { sharedByNodes } from '../../http/timelines/shared-by-nodes.ts'

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
