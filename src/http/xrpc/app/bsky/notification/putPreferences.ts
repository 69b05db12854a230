// app.bsky.notification.putPreferences: whether only notifications by accounts that the member follows are
// listed.

import type { SignedInCall } from '../../../call.ts'
import { procedure } from '../../../define.ts'

export const putPreferences = procedure(
  'app.bsky.notification.putPreferences',
  {},
  async ({ writer }, { viewer, input }: SignedInCall<unknown, { priority: boolean }>) => {
    const { priority } = input
    await writer.send({ kind: 'notification-priority', did: viewer.did, priority })
    return { body: undefined }
  },
)
