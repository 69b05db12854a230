// `slipstream member …`: the accounts that read here, and their private state.

import type { Command } from 'commander'
import type { Config } from '../../base/config/config.ts'
import { whyReturning } from '../../base/config/members.ts'
import type { Account, MemberLine } from '../../http/operator/members.ts'
import type { CliContext } from './context.ts'
import { findServer } from './control-client.ts'
import { followColdStart } from './follow-cold-start.ts'
import { type JsonOption, withJson } from './json-option.ts'
import { memberNamed, membersOf } from './member-called.ts'
import { addMemberLink } from './member-link.ts'
import { addMemberState, exportBeforeRemoval } from './member-state.ts'
import { writingOffline } from './offline.ts'
import { report, say, table, thousands } from './terminal.ts'

type AddOptions = JsonOption & { wait: boolean }
type ListOptions = JsonOption & { overLimit?: boolean }
type RemoveOptions = JsonOption & { export: boolean; file?: string }

export function addMember(program: Command, context: CliContext): void {
  const member = program.command('member').description('the accounts that read here')
  withJson(member.command('add'))
    .argument('<account>', 'a handle, a DID, or the address of a profile')
    .description('add a member, and fetch their timeline')
    .option('--no-wait', 'return at once, without showing progress')
    .addHelpText('after', ADD_HELP)
    .action((account: string, options: AddOptions) => add(context, account, options))
  withJson(member.command('list'))
    .description('list all members, and which share of what they follow their timelines take')
    .option('--over-limit', 'only those beyond SLIPSTREAM_REASONABLE_LIMIT, the most follows first')
    .action((options: ListOptions) => list(context, options))
  withJson(member.command('remove'))
    .argument('<account>', 'a handle, a DID, or the address of a profile')
    .description('remove a member; exports their mutes, bookmarks and drafts first')
    .option('--no-export', 'do not export their private state')
    .option('--file <file>', 'file to export it to (DID.json in the data folder)')
    .addHelpText(
      'after',
      '\nExample:\n  slipstream member remove alice.example.org --file alice.json',
    )
    .action((account: string, options: RemoveOptions) => remove(context, account, options))
  addMemberLink(member, context)
  addMemberState(member, context)
}

const ADD_HELP = `
If SLIPSTREAM_MEMBERS is open, everyone who signs in becomes a member without this. Adding them first means that
their timeline is full at their first sign-in. Ctrl-C stops the display, not the fetching.

Examples:
  slipstream member add alice.example.org
  slipstream member add did:plc:z72i7hdynmk6r22z27h6tvur --no-wait`

async function add(context: CliContext, actor: string, options: AddOptions): Promise<void> {
  const config = context.config()
  const server = await findServer(config.dataDir)
  if (!server) return addOffline(context, actor, options)
  const body = JSON.stringify({ actor })
  const added = await server.ask<Account & { isNew: boolean }>('POST', '/members', body)
  report(
    options.json,
    added,
    `${nameOf(added)} ${added.isNew ? 'is now a member' : 'is already a member'}.`,
  )
  if (added.isNew && options.wait) await followColdStart(server, added.did)
}

async function addOffline(context: CliContext, actor: string, options: AddOptions): Promise<void> {
  const config = context.config()
  // Imported late, as in offline.ts.
  const { resolveOffline } = await import('./resolve-offline.ts')
  const { addMember: letIn } = await import('../../ingest/indexing/members/operator-members.ts')
  const account = await resolveOffline(config, actor)
  const isNew = await writingOffline(config, ({ writer }) => {
    return writer.commit((ctx) => {
      letIn(ctx, account.did)
      return ctx.changes.some(({ kind }) => kind === 'member-added')
    })
  })
  const what = isNew
    ? 'is now a member; the server fetches what they need when it starts'
    : 'is already a member'
  report(options.json, { ...account, isNew }, `${nameOf(account)} ${what}.`)
}

async function list(context: CliContext, { json, overLimit }: ListOptions): Promise<void> {
  const all = await membersOf(context.config())
  const members = overLimit
    ? all.filter(({ keepShare }) => keepShare < 1).sort((a, b) => b.follows - a.follows)
    : all
  const none = overLimit ? 'Nobody follows more than the limit.' : 'There are no members yet.'
  report(json, members, members.length === 0 ? none : tableOf(members))
}

function tableOf(members: readonly MemberLine[]): string {
  const head = ['handle', 'did', 'since', 'last seen', 'follows', 'sees', 'fetched']
  const rows = members.map((member) => [
    member.handle ?? '?',
    member.did,
    member.joinedAt.slice(0, 10),
    member.lastSeenAt?.slice(0, 10) ?? 'never',
    thousands(member.follows),
    member.keepShare === 1 ? 'all' : `${(member.keepShare * 100).toPrecision(2)} %`,
    fetchedOf(member),
  ])
  return table(head, rows)
}

function fetchedOf({ isComplete, later, recordsLater }: MemberLine): string {
  const rest = [
    ...(later > 0 ? [`${thousands(later)} authors later`] : []),
    ...(recordsLater > 0 ? [`${thousands(recordsLater)} records later`] : []),
  ]
  if (rest.length === 0) return isComplete ? 'whole' : 'not yet'
  return [...(isComplete ? [] : ['not yet']), ...rest].join(', ')
}

async function remove(context: CliContext, actor: string, options: RemoveOptions): Promise<void> {
  const config = context.config()
  const { did, handle } = await memberNamed(context, actor)
  const exported = options.export
    ? await exportBeforeRemoval(context, did, options.file)
    : undefined
  if (exported) say(`exported their private state to ${exported}`)
  const server = await findServer(config.dataDir)
  if (!server) await removeOffline(config, did)
  const { returns } = server
    ? await server.ask<Removal>('DELETE', `/members/${encodeURIComponent(did)}`)
    : { returns: whyReturning(config.members, { did, handle }) }
  const again = returns ? ` ${AGAIN[returns]}` : ''
  report(options.json, { did, exported, returns }, `${actor.trim()} is no longer a member.${again}`)
}

type Removal = { returns?: 'open' | 'named' | undefined }

const BAN = '`slipstream moderation ban` keeps them out.'
const AGAIN = {
  open: `But SLIPSTREAM_MEMBERS is open: their next request makes them one again. ${BAN}`,
  named: `But SLIPSTREAM_MEMBERS names them: their next request makes them one again. Take them out there and restart, or ${BAN}`,
}

async function removeOffline(config: Config, did: string): Promise<void> {
  const { endMembership } = await import('../../ingest/indexing/members/operator-members.ts')
  await writingOffline(config, ({ writer }) => writer.commit((ctx) => endMembership(ctx, did)))
}

function nameOf({ did, handle }: Account): string {
  return handle ? `${handle} (${did})` : did
}
