// app.bsky.feed.getLikes: who likes a post, a feed, a starter pack or a labeler, the latest first. Left out
// are accounts in a block with the viewer or with its author.

import type { AppBskyFeedGetLikes } from '@atproto/api'
import type { Like } from '../../../../../answers/skeleton/engagement.ts'
import { datetime } from '../../../../../answers/views/fields.ts'
import { ReadyJson } from '../../../../../answers/views/ready-json.ts'
import type { Method } from '../../../../server/method.ts'
import type { AppContext } from '../../../app-context.ts'
import { engagementMethod } from '../../../engagement-method.ts'

export function getLikes(serving: AppContext): Method<AppBskyFeedGetLikes.QueryParams> {
  const { viewCache, engagement, recordLikes } = serving
  return engagementMethod(serving, {
    nsid: 'app.bsky.feed.getLikes',
    read: engagement.likes,
    readOther: recordLikes,
    present(likes: Like[], { author, viewer }) {
      const uids = likes.map(({ uid }) => uid)
      const blocks = viewCache.blocksAmong(uids.map((uid) => [author, uid] as const))
      const actors = viewCache.profiles(uids, viewer, {
        isShown: (uid, relation) => !relation.blocks && !blocks.has(author, uid),
      })
      return likes.flatMap(({ createdAt, sortAt }, i) => {
        const actor = actors[i]
        if (actor === undefined) return []
        const times = { createdAt: datetime(createdAt), indexedAt: datetime(sortAt) }
        return [{ actor: new ReadyJson([actor]), ...times }]
      })
    },
    body: (likes) => ({ likes }),
  })
}
