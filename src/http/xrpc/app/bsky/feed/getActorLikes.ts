// app.bsky.feed.getActorLikes: what an account likes, the latest first; shown to that account alone.

import type { AppBskyFeedGetActorLikes } from '@atproto/api'
import { isRetiredCursor } from '../../../../../answers/skeleton/page-cursor.ts'
import { readyArray } from '../../../../../answers/views/ready-json.ts'
import { invalidRequest } from '../../../../../base/atproto/xrpc-error.ts'
import { postItem } from '../../../../../data/store/item-ids.ts'
import { labelerHeaders } from '../../../../server/answer-headers.ts'
import type { Method, MethodContext, MethodResult } from '../../../../server/method.ts'
import { andThen } from '../../../actor-names.ts'
import { type AppContext, viewerOf } from '../../../app-context.ts'
import { fillPage } from '../../../fill-page.ts'

type Params = AppBskyFeedGetActorLikes.QueryParams & { limit: number }

export function getActorLikes(serving: AppContext): Method<Params> {
  return {
    nsid: 'app.bsky.feed.getActorLikes',
    kind: 'query',
    auth: 'optional',
    readAfterWrite: true,
    handler: (context) =>
      andThen(serving.names.find(context.params.actor), (actor) => {
        const isOwn = context.viewer !== undefined && actor?.did === context.viewer
        if (!isOwn) throw invalidRequest('Profile not found')
        return answer(serving, context)
      }),
  }
}

function answer(serving: AppContext, context: MethodContext<Params>): MethodResult {
  const { limit, cursor } = context.params
  const viewer = viewerOf(serving.actors, context.viewer!)
  const { viewCache, engagement } = serving
  if (isRetiredCursor(cursor)) return { body: { feed: [] }, headers: labelerHeaders(context) }
  const enough = Math.ceil(limit / 2)
  const page = fillPage({ limit, cursor, enough }, (from, count) => {
    const read = engagement.likedPosts({ creator: viewer.uid, limit: count, cursor: from })
    const texts = viewCache.items(read.items.map(postItem), viewer, {
      isShown: ({ authorBlocked }) => !authorBlocked,
    })
    return { items: texts.filter((text) => text !== undefined), cursor: read.cursor }
  })
  const body = { feed: readyArray(page.items), cursor: page.cursor }
  return { body, headers: labelerHeaders(context) }
}
