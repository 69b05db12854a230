// app.bsky.graph.getFollowers: who follows an account, newest first. `sort` is ignored, as in the
// reference's own data plane.

import { followList } from '../../../follow-list.ts'
import type { Serving } from '../../../serving.ts'

export function getFollowers(serving: Serving) {
  return followList(serving, {
    nsid: 'app.bsky.graph.getFollowers',
    read: serving.lists.followers,
    body: ({ subject, views, cursor }) => ({ subject, followers: views, cursor }),
  })
}
