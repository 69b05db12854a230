// app.bsky.bookmark.createBookmark: private state, kept here and in no repository. Idempotent.

import type { AppBskyBookmarkCreateBookmark } from '@atproto/api'
import { invalidRequest } from '../../../../../base/atproto/xrpc-error.ts'
import type { SignedInCall } from '../../../call.ts'
import { procedure } from '../../../define.ts'
import { checkExists } from '../../../naming/existing.ts'
import { bookmarkable } from '../../../private/bookmarkable.ts'

const MAX_BOOKMARKS = 50_000

export const createBookmark = procedure(
  'app.bsky.bookmark.createBookmark',
  {},
  async (app, call: SignedInCall<unknown, AppBskyBookmarkCreateBookmark.InputSchema>) => {
    const { viewer, input } = call
    const { uri, cid } = input
    await checkExists(app, bookmarkable(uri).did, { by: call, refusal: 'Post not found' })
    if (app.bookmarks.count(viewer.uid) >= MAX_BOOKMARKS) {
      throw invalidRequest(`At most ${MAX_BOOKMARKS} posts can be bookmarked`)
    }
    await app.writer.send({ kind: 'bookmark', did: viewer.did, uri, cid })
    return { body: undefined }
  },
)
