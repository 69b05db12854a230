// app.bsky.notification.updateSeen: what came before this moment is read. It never goes back, as in the
// reference, and not beyond now: a client whose clock is ahead must not mark what is still to come.

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
