// getLikes, getRepostedBy and getQuotes are one method with three kinds of answers: a post, and a list
// of what was done to it. An unknown post has empty lists. As in the reference, `cid` is only echoed.

import type { Viewer } from '../hydrate/types.ts'
import type { EngagementPage, EngagementRequest } from '../skeleton/engagement.ts'
import { isRetiredCursor } from '../skeleton/page-cursor.ts'
import { andThen } from './actor-names.ts'
import { labelerHeaders } from './answer-headers.ts'
import { fillPage } from './fill-page.ts'
import type { Method, MethodContext, MethodResult } from './method.ts'
import { findNamedPost, isPostUri, type NamedPost } from './post-names.ts'
import { type Serving, viewerOf } from './serving.ts'

type Params = { uri: string; cid?: string; limit?: number; cursor?: string }

export function engagementMethod<Item>(
  serving: Serving,
  options: {
    nsid: string
    read: (request: EngagementRequest) => EngagementPage<Item>
    /** `author` of the post. */
    present: (items: Item[], between: { author: number; viewer: Viewer }) => object[]
    body: (views: object[]) => object
  },
): Method<Params> {
  const { nsid, read, present, body } = options

  function answer(context: MethodContext<Params>, { id, uri: named }: NamedPost): MethodResult {
    const { uri, cid, limit = 50, cursor } = context.params
    const viewer = viewerOf(serving.actors, context.viewer)
    if (id === 0 && isPostUri(named)) serving.wanted.ask(viewer, { uris: [named] })
    const author = serving.actors.uidOf(named.split('/')[2] ?? '')
    const page =
      id === 0 || isRetiredCursor(cursor)
        ? { items: [], cursor: undefined }
        : // As in the reference, a page that is half full is left at that.
          fillPage({ limit, cursor, enough: Math.ceil(limit / 2) }, (from, count) => {
            const { items, cursor: next } = read({ post: id, limit: count, cursor: from })
            return { items: present(items, { author, viewer }), cursor: next }
          })
    return {
      body: { uri, cid, ...body(page.items), cursor: page.cursor },
      headers: labelerHeaders(context),
    }
  }

  return {
    nsid,
    kind: 'query',
    auth: 'optional',
    handler: (context) =>
      andThen(findNamedPost(serving, context.params.uri), (post) => answer(context, post)),
  }
}
