// app.bsky.bookmark.createBookmark: private state, kept here and in no repository. The second time
// nothing happens.

import type { AppBskyBookmarkCreateBookmark } from '@atproto/api'
import { invalidRequest } from '../../../../../base/atproto/xrpc-error.ts'
import type { Method, Params } from '../../../../server/method.ts'
import type { AppContext } from '../../../app-context.ts'
import { bookmarkable } from '../../../bookmarkable.ts'

const MAX_BOOKMARKS = 50_000

export function createBookmark({
  actors,
  bookmarks,
  resolver,
  writer,
}: AppContext): Method<Params, AppBskyBookmarkCreateBookmark.InputSchema> {
  return {
    nsid: 'app.bsky.bookmark.createBookmark',
    kind: 'procedure',
    auth: 'required',
    handler: async ({ viewer, input: { uri, cid } }) => {
      const { did } = bookmarkable(uri)
      // A post of nobody's would fill our tables.
      const exists = actors.uidOf(did) !== 0 || (await resolver.resolve(did))
      if (!exists) throw invalidRequest('Post not found')
      if (bookmarks.count(actors.uidOf(viewer!)) >= MAX_BOOKMARKS) {
        throw invalidRequest(`At most ${MAX_BOOKMARKS} posts can be bookmarked`)
      }
      await writer.send({ kind: 'bookmark', did: viewer!, uri, cid })
      return { body: undefined }
    },
  }
}
