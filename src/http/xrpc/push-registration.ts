// registerPush and unregisterPush. Refused, in the reference's words: pushes go through Apple's and Google's
// services under the keys of whoever built the app, so no self-hosted AppView can send them. Our DID document
// names no #bsky_notif service for that reason.

import { XRPCError } from '../../base/atproto/xrpc-error.ts'
import { type MethodDefinition, procedure } from './define.ts'

export function pushRegistration(nsid: string): MethodDefinition {
  const refused =
    'pushes go under the keys of whoever built the app; no self-hosted AppView has them'
  return procedure(nsid, { refused }, () => {
    const message = 'This service is not configured to support push token registration.'
    throw new XRPCError(501, 'MethodNotImplemented', message)
  })
}
