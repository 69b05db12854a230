// app.bsky.notification.registerPush. Refused, in the reference's
// words: pushes go through Apple's and Google's services under the keys of whoever built the app, so no
// self-hosted AppView can send them. Our DID document names no #bsky_notif service for that reason.

import { XRPCError } from '../../../../../base/atproto/xrpc-error.ts'
import type { Method } from '../../../../server/method.ts'

export function registerPush(): Method {
  return {
    nsid: 'app.bsky.notification.registerPush',
    kind: 'procedure',
    auth: 'required',
    refused: 'pushes go under the keys of whoever built the app; no self-hosted AppView has them',
    handler: () => {
      const message = 'This service is not configured to support push token registration.'
      throw new XRPCError(501, 'MethodNotImplemented', message)
    },
  }
}
