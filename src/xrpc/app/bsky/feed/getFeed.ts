// app.bsky.feed.getFeed. No feed generator is asked yet, so every feed is empty. An error here would
// do harm: at the end of a short timeline the official client reads a feed in the same breath, and
// shows neither if that fails. The token that comes is meant for the feed generator.

import { labelerHeaders } from '../../../answer-headers.ts'
import type { Method } from '../../../method.ts'

const SKELETON = 'app.bsky.feed.getFeedSkeleton'

export function getFeed(): Method {
  return {
    nsid: 'app.bsky.feed.getFeed',
    kind: 'query',
    auth: 'optional',
    anyAudience: true,
    acceptsLxm: (lxm) => lxm === SKELETON,
    handler: (context) => ({ body: { feed: [] }, headers: labelerHeaders(context) }),
  }
}
