// app.bsky.feed.getPosts: posts by at-URI. What isn't here, or is blocked, is left out.

import type { AppBskyFeedGetPosts } from '@atproto/api'
import { readyArray } from '../../../../../answers/views/ready-json.ts'
import { parseRecordUri } from '../../../../../base/atproto/at-uri.ts'
import { labelerHeaders } from '../../../../server/answer-headers.ts'
import type { Method } from '../../../../server/method.ts'
import { type AppContext, viewerOf } from '../../../app-context.ts'

const POST = 'app.bsky.feed.post'

export function getPosts(serving: AppContext): Method<AppBskyFeedGetPosts.QueryParams> {
  const { actors, viewCache, fetchRequests } = serving
  return {
    nsid: 'app.bsky.feed.getPosts',
    kind: 'query',
    auth: 'optional',
    acceptsLxm: (lxm) => lxm.startsWith('chat.bsky.'),
    handler: (context) => {
      const viewer = viewerOf(actors, context.viewer)
      const uris = [...new Set(context.params.uris)]
      const ids = uris.map((uri) => postIdOf(serving, uri))
      const known = ids.filter((id) => id !== 0)
      const posts = viewCache.posts(known, viewer).filter((text) => text !== undefined)
      fetchRequests.ask(viewer, { uris: uris.filter((uri, i) => ids[i] === 0 && isPostUri(uri)) })
      return { body: { posts: readyArray(posts) }, headers: labelerHeaders(context) }
    },
  }
}

function isPostUri(uri: string): boolean {
  return parseRecordUri(uri)?.collection === POST
}

/** @returns 0 for what is no post that we have heard of. */
function postIdOf({ actors, records }: AppContext, uri: string): number {
  const key = parseRecordUri(uri)
  const uid = key?.collection === POST ? actors.uidOf(key.did) : 0
  return uid === 0 ? 0 : records.postIdOf(uid, key!.rkey)
}
