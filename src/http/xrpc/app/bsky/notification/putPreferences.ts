// app.bsky.notification.putPreferences: whether only those whom the member follows are listed.

import type { AppBskyNotificationPutPreferences } from '@atproto/api'
import type { Method, Params } from '../../../../server/method.ts'
import type { AppContext } from '../../../app-context.ts'

export function putPreferences({
  writer,
}: AppContext): Method<Params, AppBskyNotificationPutPreferences.InputSchema> {
  return {
    nsid: 'app.bsky.notification.putPreferences',
    kind: 'procedure',
    auth: 'required',
    handler: async ({ viewer, input: { priority } }) => {
      await writer.send({ kind: 'notification-priority', did: viewer!, priority })
      return { body: undefined }
    },
  }
}
