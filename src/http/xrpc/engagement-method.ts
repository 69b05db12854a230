// getLikes, getRepostedBy and getQuotes are one method with three kinds of answers: a post, and a list
// of what was done to it. An unknown post has empty lists. As in the reference, `cid` is only echoed.

import type { Viewer } from '../../answers/hydrate/types.ts'
import type { EngagementPage, EngagementRequest } from '../../answers/skeleton/engagement.ts'
import { isRetiredCursor } from '../../answers/skeleton/page-cursor.ts'
import type { RecordLikesRequest } from '../../answers/skeleton/record-likes.ts'
import { parseRecordUri } from '../../base/atproto/at-uri.ts'
import { labelerHeaders } from '../server/answer-headers.ts'
import type { Method, MethodContext, MethodResult } from '../server/method.ts'
import { andThen } from './actor-names.ts'
import { type AppContext, viewerOf } from './app-context.ts'
import { fillPage } from './fill-page.ts'
import { findNamedPost, isPostUri, type NamedPost } from './post-names.ts'

type Params = { uri: string; cid?: string; limit?: number; cursor?: string }

export function engagementMethod<Item>(
  serving: AppContext,
  options: {
    nsid: string
    read: (request: EngagementRequest) => EngagementPage<Item>
    /** What was done to a feed, a starter pack or a labeler, where that can be. */
    readOther?: (request: RecordLikesRequest) => EngagementPage<Item>
    /** `author` of the post. */
    present: (items: Item[], between: { author: number; viewer: Viewer }) => object[]
    body: (views: object[]) => object
  },
): Method<Params> {
  const { nsid, read, readOther, present, body } = options

  /** Undefined where nothing can be known of it. */
  function readerOf({ id, uri }: NamedPost, author: number) {
    if (id !== 0) return (limit: number, cursor?: string) => read({ post: id, limit, cursor })
    const key = readOther && parseRecordUri(uri)
    if (!key || isPostUri(uri) || author === 0) return undefined
    const record = { uid: author, collection: key.collection, rkey: key.rkey }
    return (limit: number, cursor?: string) => readOther({ record, limit, cursor })
  }

  function answer(context: MethodContext<Params>, post: NamedPost): MethodResult {
    const { id, uri: named } = post
    const { uri, cid, limit = 50, cursor } = context.params
    const viewer = viewerOf(serving.actors, context.viewer)
    if (id === 0 && isPostUri(named)) serving.fetchRequests.ask(viewer, { uris: [named] })
    const author = serving.actors.uidOf(named.split('/')[2] ?? '')
    const reader = readerOf(post, author)
    const page =
      !reader || isRetiredCursor(cursor)
        ? { items: [], cursor: undefined }
        : // As in the reference, a page that is half full is left at that.
          fillPage({ limit, cursor, enough: Math.ceil(limit / 2) }, (from, count) => {
            const { items, cursor: next } = reader(count, from)
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
