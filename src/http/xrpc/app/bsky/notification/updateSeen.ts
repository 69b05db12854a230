// app.bsky.notification.updateSeen: marks notifications up to a time as read. As in the reference, that time
// never goes back. It never exceeds the present: a client whose clock is ahead must not mark future
// notifications.

import { invalidRequest } from '../../../../../base/atproto/xrpc-error.ts'
import type { SignedInCall } from '../../../call.ts'
import { procedure } from '../../../define.ts'

export const updateSeen = procedure(
  'app.bsky.notification.updateSeen',
  {},
  async ({ writer }, { viewer, input }: SignedInCall<unknown, { seenAt: string }>) => {
    const seenAt = Date.parse(input.seenAt)
    if (Number.isNaN(seenAt)) throw invalidRequest('seenAt is no date')
    await writer.send({ kind: 'notifications-seen', did: viewer.did, seenAt })
    return { body: undefined }
  },
)
