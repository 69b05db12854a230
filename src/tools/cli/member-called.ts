// Lists the members, and finds the one that a command's argument names.

import type { Config } from '../../base/config/config.ts'
import type { Db } from '../../data/store/db.ts'
import { listMembers, type MemberLine } from '../../http/operator/members.ts'
import { accountIn } from '../../http/operator/moderation-subject.ts'
import { CliError } from '../fail.ts'
import type { CliContext } from './context.ts'
import { readingAnyhow } from './offline.ts'

/**
 * The member, from our own data: their server may be gone, which may be the reason for the command.
 */
export async function memberNamed(context: CliContext, actor: string): Promise<MemberLine> {
  const members = await membersOf(context.config())
  const name = accountIn(actor)
  const found = members.find(({ did, handle }) => did === name || handle === name.toLowerCase())
  if (found) return found
  throw new CliError(`${actor} is not a member.`, 'See `slipstream member list`, or try the DID.')
}

export async function memberCalled(context: CliContext, actor: string): Promise<string> {
  return (await memberNamed(context, actor)).did
}

export async function membersOf(config: Config): Promise<MemberLine[]> {
  const read = (db: Db) => ({ members: listMembers(db, config) })
  const { members } = await readingAnyhow(config, '/members', read)
  return members
}
