// Which member a command's argument means.

import { listMembers, type MemberLine } from '../../http/operator/members.ts'
import type { CliContext } from './context.ts'
import { findServer } from './control-client.ts'
import { CliError } from './fail.ts'
import { readingOffline, refuseMissing } from './offline.ts'

/** A member's DID, by what we know of them: their server may be gone, which may be why. */
export async function memberCalled(context: CliContext, actor: string): Promise<string> {
  const config = context.config()
  const server = await findServer(config.dataDir)
  if (!server) refuseMissing(config.dataDir)
  const { members } = server
    ? await server.ask<{ members: MemberLine[] }>('GET', '/members')
    : { members: await readingOffline(config, listMembers) }
  const name = actor.replace(/^@/, '')
  const found = members.find(({ did, handle }) => did === name || handle === name.toLowerCase())
  if (found) return found.did
  throw new CliError(`${actor} is not a member.`, 'See `slipstream member list`, or try the DID.')
}
