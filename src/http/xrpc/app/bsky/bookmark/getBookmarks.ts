// app.bsky.bookmark.getBookmarks: the viewer's bookmarks, latest first. As in the reference, posts by muted
// accounts are shown, blocked posts are marked as blocked, and deleted ones as not found.

import { datetime } from '../../../../../answers/views/fields.ts'
import { withFields } from '../../../../../answers/views/json/ready-json.ts'
import { postOrReason } from '../../../../../answers/views/posts/post-or-reason.ts'
import { recordUri } from '../../../../../base/atproto/at-uri.ts'
import type { PositionedBookmark } from '../../../../../data/store/private/bookmarks.ts'
import type { SignedInCall } from '../../../call.ts'
import type { Needs } from '../../../define.ts'
import { pagedMethod } from '../../../paging/paged-method.ts'

const POST_VIEW = { $type: 'app.bsky.feed.defs#postView' }

export const getBookmarks = pagedMethod(
  'app.bsky.bookmark.getBookmarks',
  { auth: 'required' },
  {
    skeleton: ({ bookmarks }, { call, range }) =>
      bookmarks.page({ viewer: call.viewer.uid, ...range }),
    present,
    body: 'bookmarks',
  },
)

function present(
  { actors, hydrator, viewCache }: Needs<'actors' | 'hydrator' | 'viewCache'>,
  bookmarks: readonly PositionedBookmark[],
  { call: { reader } }: { call: SignedInCall<never> },
) {
  const ids = bookmarks.map(({ post }) => post)
  const posts = viewCache.posts(ids, reader, { knownLikers: 'all' })
  const absent = ids.filter((_, i) => posts[i] === undefined)
  const state = hydrator.posts(absent, reader)
  reader.missing.addFeed(state)
  return bookmarks.map(({ post, uid, rkey, cid, createdAt }, i) => {
    const uri = recordUri(actors.didOf(uid), 'app.bsky.feed.post', rkey)
    const item = posts[i] ? withFields(posts[i], POST_VIEW) : postOrReason(state, post, { uri })
    return { createdAt: datetime(createdAt), subject: { uri, cid }, item }
  })
}
