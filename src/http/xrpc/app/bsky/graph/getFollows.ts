// app.bsky.graph.getFollows: whom an account follows, newest first. `sort` is ignored, as in the
// reference's own data plane.

import { followList } from '../../../follow-list.ts'
import type { Serving } from '../../../serving.ts'

export function getFollows(serving: Serving) {
  return followList(serving, {
    nsid: 'app.bsky.graph.getFollows',
    read: serving.lists.follows,
    body: ({ subject, views, cursor }) => ({ subject, follows: views, cursor }),
  })
}
