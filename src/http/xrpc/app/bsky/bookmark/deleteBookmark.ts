// app.bsky.bookmark.deleteBookmark. Deleting a missing bookmark is no error.

import type { AppBskyBookmarkDeleteBookmark } from '@atproto/api'
import type { SignedInCall } from '../../../call.ts'
import { procedure } from '../../../define.ts'
import { bookmarkable } from '../../../private/bookmarkable.ts'

export const deleteBookmark = procedure(
  'app.bsky.bookmark.deleteBookmark',
  {},
  async ({ writer }, call: SignedInCall<unknown, AppBskyBookmarkDeleteBookmark.InputSchema>) => {
    const { uri } = call.input
    bookmarkable(uri)
    await writer.send({ kind: 'unbookmark', did: call.viewer.did, uri })
    return { body: undefined }
  },
)
