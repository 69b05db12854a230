// io.slipstream.server.redeemInvite, our own: an account that is no member yet becomes one by an
// operator's code. It comes through the account's PDS like every other call, which proves who it is.
// Lexicon: lexicons/io/slipstream/server/redeemInvite.json.

import type { Method, Params } from '../../../../server/method.ts'
import type { Invites } from '../../../invites.ts'

export function redeemInvite({ redeem }: Invites): Method<Params, { code: string }> {
  return {
    nsid: 'io.slipstream.server.redeemInvite',
    kind: 'procedure',
    auth: 'required',
    forStrangers: true,
    handler: async ({ viewer, input }) => {
      await redeem(viewer!, input.code)
      return { body: { did: viewer! } }
    },
  }
}
