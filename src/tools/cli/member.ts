// `slipstream member …`: who reads here, and their private state.

import type { Command } from 'commander'
import type { Config } from '../../base/config/config.ts'
import { type Account, listMembers, type MemberLine } from '../../http/operator/members.ts'
import type { CliContext } from './context.ts'
import { findServer } from './control-client.ts'
import { followColdStart } from './follow-cold-start.ts'
import { type JsonOption, withJson } from './json-option.ts'
import { memberCalled } from './member-called.ts'
import { addMemberLink } from './member-link.ts'
import { addMemberState, exportBeforeRemoval } from './member-state.ts'
import { readingOffline, writingOffline } from './offline.ts'
import { report, say, table, thousands } from './terminal.ts'

type AddOptions = JsonOption & { wait: boolean }
type RemoveOptions = JsonOption & { export: boolean; file?: string }

export function addMember(program: Command, context: CliContext): void {
  const member = program.command('member').description('the accounts that read here')
  withJson(member.command('add'))
    .argument('<account>', 'a handle or a DID')
    .description('make an account a member, and fetch what their timeline needs')
    .option('--no-wait', 'do not show how far it is')
    .addHelpText('after', ADD_HELP)
    .action((account: string, options: AddOptions) => add(context, account, options))
  withJson(member.command('list'))
    .description('list all members')
    .action(({ json }: JsonOption) => list(context, json))
  withJson(member.command('remove'))
    .argument('<account>', 'a handle or a DID')
    .description('end a membership; mutes, bookmarks and drafts are exported first')
    .option('--no-export', 'do not export their private state')
    .option('--file <file>', 'where to export it to (DID.json in the data folder)')
    .addHelpText(
      'after',
      '\nExample:\n  slipstream member remove alice.example.org --file alice.json',
    )
    .action((account: string, options: RemoveOptions) => remove(context, account, options))
  addMemberLink(member, context)
  addMemberState(member, context)
}

const ADD_HELP = `
Whoever signs in with a verified token becomes a member by themselves where SLIPSTREAM_MEMBERS is open;
this makes it so beforehand, and their first timeline is full. Ctrl-C leaves it going on behind.

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
    `${nameOf(added)} ${added.isNew ? 'is a member now' : 'is a member already'}.`,
  )
  if (added.isNew && options.wait) await followColdStart(server, added.did)
}

async function addOffline(context: CliContext, actor: string, options: AddOptions): Promise<void> {
  const config = context.config()
  // Only now, as in offline.ts.
  const { resolveOffline } = await import('./resolve-offline.ts')
  const { addMember: letIn } = await import('../../ingest/indexing/operator-members.ts')
  const account = await resolveOffline(config, actor)
  const isNew = await writingOffline(config, ({ writer }) => {
    return writer.commit((ctx) => {
      letIn(ctx, account.did)
      return ctx.changes.some(({ kind }) => kind === 'member-added')
    })
  })
  const what = isNew
    ? 'is a member now; what they need is fetched when the server starts'
    : 'is a member already'
  report(options.json, { ...account, isNew }, `${nameOf(account)} ${what}.`)
}

async function list(context: CliContext, json: boolean | undefined): Promise<void> {
  const config = context.config()
  const server = await findServer(config.dataDir)
  const { members } = server
    ? await server.ask<{ members: MemberLine[] }>('GET', '/members')
    : { members: await readingOffline(config, listMembers) }
  report(json, members, members.length === 0 ? 'There are no members yet.' : tableOf(members))
}

function tableOf(members: readonly MemberLine[]): string {
  const head = ['handle', 'did', 'since', 'last seen', 'follows', 'fetched']
  const rows = members.map((one) => [
    one.handle ?? '?',
    one.did,
    one.joinedAt.slice(0, 10),
    one.lastSeenAt?.slice(0, 10) ?? 'never',
    thousands(one.follows),
    fetchedOf(one),
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
  const did = await memberCalled(context, actor)
  const exported = options.export
    ? await exportBeforeRemoval(context, did, options.file)
    : undefined
  if (exported) say(`their private state is in ${exported}`)
  const server = await findServer(config.dataDir)
  if (server) await server.ask('DELETE', `/members/${encodeURIComponent(did)}`)
  else await removeOffline(config, did)
  const again =
    config.members === 'open'
      ? ' (SLIPSTREAM_MEMBERS is open: signing in makes them one again)'
      : ''
  report(options.json, { did, exported }, `${actor} is no member any more${again}.`)
}

async function removeOffline(config: Config, did: string): Promise<void> {
  const { endMembership } = await import('../../ingest/indexing/operator-members.ts')
  await writingOffline(config, ({ writer }) => writer.commit((ctx) => endMembership(ctx, did)))
}

function nameOf({ did, handle }: Account): string {
  return handle ? `${handle} (${did})` : did
}
