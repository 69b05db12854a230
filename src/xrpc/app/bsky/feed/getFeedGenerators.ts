// app.bsky.feed.getFeedGenerators. Feed generator records are not indexed, so none of those asked for
// is known here. The answer matters all the same: a client waits for it before it shows Home.

import { labelerHeaders } from '../../../answer-headers.ts'
import type { Method } from '../../../method.ts'

export function getFeedGenerators(): Method {
  return {
    nsid: 'app.bsky.feed.getFeedGenerators',
    kind: 'query',
    auth: 'optional',
    handler: (context) => ({ body: { feeds: [] }, headers: labelerHeaders(context) }),
  }
}
