// app.bsky.graph.getFollows: whom an account follows, newest first. `sort` is ignored, as in the
// reference's own data plane.

import type { AppContext } from '../../../app-context.ts'
import { followList } from '../../../follow-list.ts'

export function getFollows(serving: AppContext) {
  return followList(serving, {
    nsid: 'app.bsky.graph.getFollows',
    read: serving.lists.follows,
    body: ({ subject, views, cursor }) => ({ subject, follows: views, cursor }),
  })
}
