// app.bsky.notification.updateSeen: what came before this moment is read. It never goes back, as in the
// reference, and not beyond now: a client whose clock is ahead must not mark what is still to come.

import type { AppBskyNotificationUpdateSeen } from '@atproto/api'
import { invalidRequest } from '../../../../../base/atproto/xrpc-error.ts'
import type { Method, Params } from '../../../../server/method.ts'
import type { AppContext } from '../../../app-context.ts'

export function updateSeen({
  writer,
}: AppContext): Method<Params, AppBskyNotificationUpdateSeen.InputSchema> {
  return {
    nsid: 'app.bsky.notification.updateSeen',
    kind: 'procedure',
    auth: 'required',
    handler: async ({ viewer, input }) => {
      const seenAt = Date.parse(input.seenAt)
      if (Number.isNaN(seenAt)) throw invalidRequest('seenAt is no date')
      await writer.send({ kind: 'notifications-seen', did: viewer!, seenAt })
      return { body: undefined }
    },
  }
}
