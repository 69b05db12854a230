// io.slipstream.server.redeemInvite, our own: an account that is no member yet becomes one by an
// operator's code. It comes through the account's PDS like every other call, which proves who it is.
// Lexicon: lexicons/io/slipstream/server/redeemInvite.json.

import type { SignedInCall } from '../../../call.ts'
import { procedure } from '../../../define.ts'

export const redeemInvite = procedure(
  'io.slipstream.server.redeemInvite',
  { forStrangers: true },
  async ({ invites }, { viewer, input }: SignedInCall<unknown, { code: string }>) => {
    await invites.redeem(viewer.did, input.code)
    return { body: { did: viewer.did } }
  },
)
