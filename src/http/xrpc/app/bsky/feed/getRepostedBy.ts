// app.bsky.feed.getRepostedBy: who reposted a post, the latest first.

import type { AppBskyFeedGetRepostedBy } from '@atproto/api'
import { ReadyJson } from '../../../../../answers/views/ready-json.ts'
import type { Method } from '../../../../server/method.ts'
import type { AppContext } from '../../../app-context.ts'
import { engagementMethod } from '../../../engagement-method.ts'

export function getRepostedBy(serving: AppContext): Method<AppBskyFeedGetRepostedBy.QueryParams> {
  const { viewCache, engagement } = serving
  return engagementMethod(serving, {
    nsid: 'app.bsky.feed.getRepostedBy',
    read: engagement.reposters,
    present(uids: number[], { viewer }) {
      const views = viewCache.profiles(uids, viewer, {
        isShown: (_uid, relation) => !relation.blocks,
      })
      return views.filter((view) => view !== undefined).map((view) => new ReadyJson([view]))
    },
    body: (repostedBy) => ({ repostedBy }),
  })
}
