// Refusals of what this server can't tell now: it may exist all the same, so clients should ask again.

import { unavailable, withHeaders, type XRPCError } from '../../../base/atproto/xrpc-error.ts'

const ASK_AGAIN_AFTER_S = 10

/** @param what - a sentence without a full stop, such as the message of a refusal that may be wrong */
export function notHereYet(what: string): XRPCError {
  return refusal('NotHereYet', `${what}: this can’t be told yet; try again`)
}

/** For a list that no one brings here by itself. */
export function notKnownHere(): XRPCError {
  const message = 'This server does not know that list, and no other has answered; try again later'
  return refusal('NotKnownHere', message)
}

/** For visitors, for whom nothing is fetched. */
export function notHeldHere(what: string): XRPCError {
  return refusal('NotKnownHere', `${what} on this server, which does not hold everything; sign in`)
}

function refusal(error: string, message: string): XRPCError {
  return withHeaders(unavailable(message, { error }), { 'retry-after': String(ASK_AGAIN_AFTER_S) })
}
