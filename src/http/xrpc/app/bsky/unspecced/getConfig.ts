// app.bsky.unspecced.getConfig: what clients may show. Trends only where this server has some.

import type { Method } from '../../../../server/method.ts'

const TRENDS = 'app.bsky.unspecced.getTrends'

/** @param methods - the NSIDs that this server has, once all are known */
export function getConfig(methods: () => readonly string[]): Method {
  return {
    nsid: 'app.bsky.unspecced.getConfig',
    kind: 'query',
    auth: 'none',
    handler: () => {
      const topicsEnabled = methods().includes(TRENDS)
      return { body: { checkEmailConfirmed: false, topicsEnabled } }
    },
  }
}
