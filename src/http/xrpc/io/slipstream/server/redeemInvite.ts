// io.slipstream.server.redeemInvite, our own method: makes an account a member by an operator's code. Like
// every other call it arrives through the account's PDS, which proves the account's identity. Lexicon:
// lexicons/io/slipstream/server/redeemInvite.json.

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
