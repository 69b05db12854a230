// Redeems invites: for the method that a signed-in account calls, and for a page with a form for handle and code.

import { invalidRequest } from '../../../base/atproto/xrpc-error.ts'
import type { Config } from '../../../base/config/config.ts'
import { isByInvite } from '../../../base/config/members.ts'
import type { Writer } from '../../../bridge/messages.ts'
import type { Db } from '../../../data/store/db.ts'
import { findAdmission } from '../../../data/store/members/admissions.ts'
import { readInviteCode } from '../../../data/store/members/invite-code.ts'

export type Invites = {
  /** Whether invite codes admit accounts here. */
  readonly isOn: boolean
  /**
   * Admits the account. If it may read already, this succeeds without using up the code.
   * @throws XRPCError InvalidInvite, or NotByInvite
   */
  redeem(did: string, code: string): Promise<void>
}

/** For servers without invites. */
export const NO_INVITES: Invites = {
  isOn: false,
  redeem: async () => {
    throw notByInvite()
  },
}

export function createInvites(options: {
  config: Pick<Config, 'members'>
  db: Db
  writer: Writer
}): Invites {
  const { config, db, writer } = options
  const isOn = isByInvite(config.members)

  async function redeem(did: string, text: string): Promise<void> {
    if (!isOn) throw notByInvite()
    if (findAdmission(db, did)) return
    const code = readInviteCode(text)
    if (!code) throw invalidRequest('This invite code is not valid.', 'InvalidInvite')
    await writer.send({ kind: 'redeem-invite', did, code }).catch(asRefusal)
  }

  return { isOn, redeem }
}

function notByInvite() {
  return invalidRequest('This server takes no invite codes', 'NotByInvite')
}

/** Shows the caller the errors of the invite itself; rethrows others. */
function asRefusal(error: Error): never {
  if (error.name === 'InviteError') throw invalidRequest(error.message, 'InvalidInvite')
  throw error
}
