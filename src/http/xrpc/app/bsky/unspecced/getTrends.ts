// app.bsky.unspecced.getTrends: the hashtags that most people use, with some of them.

import type { AppBskyUnspeccedGetTrends } from '@atproto/api'
import { datetime } from '../../../../../answers/views/fields.ts'
import { profileViewBasic } from '../../../../../answers/views/profile-views.ts'
import { viewerBlocks } from '../../../../../answers/views/rules.ts'
import { labelerHeaders } from '../../../../server/answer-headers.ts'
import type { Method } from '../../../../server/method.ts'
import { type AppContext, viewerOf } from '../../../app-context.ts'
import { tagLink } from '../../../tag-link.ts'

type Params = AppBskyUnspeccedGetTrends.QueryParams & { limit: number }

export function getTrends({ actors, hydrator, trends }: AppContext): Method<Params> {
  return {
    nsid: 'app.bsky.unspecced.getTrends',
    kind: 'query',
    auth: 'optional',
    partly: 'hashtags by our own count, without categories',
    handler: (context) => {
      const viewer = viewerOf(actors, context.viewer)
      const shown = trends.now().slice(0, context.params.limit)
      const uids = new Set(shown.flatMap(({ authors }) => authors))
      const state = hydrator.profiles([...uids], viewer)
      const views = shown.map(({ tag, posts, startedAt, isHot, authors }) => ({
        topic: tag,
        displayName: `#${tag}`,
        link: tagLink(tag),
        startedAt: datetime(startedAt),
        postCount: posts,
        status: isHot ? 'hot' : undefined,
        actors: authors
          .filter((uid) => !viewerBlocks(state, uid))
          .map((uid) => profileViewBasic(state, uid))
          .filter((view) => view !== undefined),
      }))
      return { body: { trends: views }, headers: labelerHeaders(context) }
    },
  }
}
