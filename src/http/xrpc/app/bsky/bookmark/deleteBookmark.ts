// app.bsky.bookmark.deleteBookmark. What was not there can't be missed.

import type { AppBskyBookmarkDeleteBookmark } from '@atproto/api'
import type { Method, Params } from '../../../../server/method.ts'
import type { AppContext } from '../../../app-context.ts'
import { bookmarkable } from '../../../bookmarkable.ts'

export function deleteBookmark({
  writer,
}: AppContext): Method<Params, AppBskyBookmarkDeleteBookmark.InputSchema> {
  return {
    nsid: 'app.bsky.bookmark.deleteBookmark',
    kind: 'procedure',
    auth: 'required',
    handler: async ({ viewer, input: { uri } }) => {
      bookmarkable(uri)
      await writer.send({ kind: 'unbookmark', did: viewer!, uri })
      return { body: undefined }
    },
  }
}
