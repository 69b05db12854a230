// app.bsky.notification.unregisterPush. Refused, see registerPush.ts.

import { XRPCError } from '../../../../../base/atproto/xrpc-error.ts'
import type { Method } from '../../../../server/method.ts'

export function unregisterPush(): Method {
  return {
    nsid: 'app.bsky.notification.unregisterPush',
    kind: 'procedure',
    auth: 'required',
    refused: 'pushes go under the keys of whoever built the app; no self-hosted AppView has them',
    handler: () => {
      const message = 'This service is not configured to support push token registration.'
      throw new XRPCError(501, 'MethodNotImplemented', message)
    },
  }
}
