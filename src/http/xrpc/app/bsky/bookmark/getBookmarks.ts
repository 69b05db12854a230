// app.bsky.bookmark.getBookmarks: what the viewer bookmarked, latest first. As in the reference muted
// people's posts are shown, blocked ones as such, and what is gone as not found.

import type { AppBskyBookmarkGetBookmarks } from '@atproto/api'
import type { Viewer } from '../../../../../answers/hydrate/types.ts'
import { datetime } from '../../../../../answers/views/fields.ts'
import { postOrReason } from '../../../../../answers/views/post-or-reason.ts'
import { ReadyJson } from '../../../../../answers/views/ready-json.ts'
import { recordUri } from '../../../../../base/atproto/at-uri.ts'
import type { PlacedBookmark } from '../../../../../data/store/bookmarks.ts'
import { labelerHeaders } from '../../../../server/answer-headers.ts'
import type { Method } from '../../../../server/method.ts'
import { type AppContext, viewerOf } from '../../../app-context.ts'
import { fillPage } from '../../../fill-page.ts'

type Params = AppBskyBookmarkGetBookmarks.QueryParams & { limit: number }

export function getBookmarks(serving: AppContext): Method<Params> {
  const { actors, bookmarks } = serving
  return {
    nsid: 'app.bsky.bookmark.getBookmarks',
    kind: 'query',
    auth: 'required',
    handler: (context) => {
      const { limit, cursor } = context.params
      const viewer = viewerOf(actors, context.viewer!)
      const page = fillPage({ limit, cursor }, (from, count) => {
        const request = { viewer: viewer.uid, limit: count, cursor: from }
        const { bookmarks: found, cursor: next } = bookmarks.page(request)
        return { items: present(serving, found, viewer), cursor: next }
      })
      const body = { bookmarks: page.items, cursor: page.cursor }
      return { body, headers: labelerHeaders(context) }
    },
  }
}

function present(
  { actors, viewCache, hydrator, fetchRequests }: AppContext,
  bookmarks: readonly PlacedBookmark[],
  viewer: Viewer,
) {
  const ids = bookmarks.map(({ post }) => post)
  const texts = viewCache.posts(ids, viewer)
  const absent = ids.filter((_, i) => texts[i] === undefined)
  const state = hydrator.posts(absent, viewer)
  fetchRequests.afterFeed(state)
  return bookmarks.map(({ post, uid, rkey, cid, createdAt }, i) => {
    const uri = recordUri(actors.didOf(uid), 'app.bsky.feed.post', rkey)
    const text = texts[i]
    const item = text === undefined ? postOrReason(state, post, { uri }) : shownPost(text)
    return { createdAt: datetime(createdAt), subject: { uri, cid }, item }
  })
}

function shownPost(text: string): ReadyJson {
  return new ReadyJson(['{"$type":"app.bsky.feed.defs#postView",', text.slice(1)])
}
