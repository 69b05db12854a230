// app.bsky.graph.getFollowers: who follows an account, newest first. `sort` is ignored, as in the
// reference's own data plane.

import type { AppContext } from '../../../app-context.ts'
import { followList } from '../../../follow-list.ts'

export function getFollowers(serving: AppContext) {
  return followList(serving, {
    nsid: 'app.bsky.graph.getFollowers',
    read: serving.lists.followers,
    body: ({ subject, views, cursor }) => ({ subject, followers: views, cursor }),
  })
}
