// `slipstream invite …`: codes that admit members if SLIPSTREAM_MEMBERS includes invite.

import type { Command } from 'commander'
import { isByInvite } from '../../base/config/members.ts'
import { DAY_MS } from '../../base/util/durations.ts'
import { newInviteCode, readInviteCode } from '../../data/store/members/invite-code.ts'
import { listInvites } from '../../data/store/members/invites.ts'
import { type InviteLine, inviteLine, MAX_LISTED_INVITES } from '../../http/operator/invites.ts'
import { createInvite, disableInvite } from '../../ingest/indexing/members/invites.ts'
import { CliError } from '../fail.ts'
import type { CliContext } from './context.ts'
import { findServer } from './control-client.ts'
import { integer } from './integer.ts'
import { type JsonOption, withJson } from './json-option.ts'
import { readingAnyhow, writingOffline } from './offline.ts'
import { report, say, table } from './terminal.ts'

type Made = { code: string; page?: string | undefined }
type CreateOptions = JsonOption & { uses: number; days?: number; note: string }

const MAX_USES = 1_000_000
const MAX_DAYS = 36_500
const MAX_NOTE_LENGTH = 200

export function addInvite(program: Command, context: CliContext): void {
  const invite = program.command('invite').description('codes that admit members')
  withJson(invite.command('create'))
    .description('create an invite code, to be entered at /invite')
    .option('--uses <n>', 'how many accounts can use it', integer(1, MAX_USES), 1)
    .option('--days <n>', 'days until it expires (never)', integer(1, MAX_DAYS))
    .option('--note <text>', 'a note to yourself', '')
    .addHelpText(
      'after',
      '\nExample:\n  slipstream invite create --uses 5 --days 30 --note "the choir"',
    )
    .action((options: CreateOptions) => create(context, options))
  withJson(invite.command('list'))
    .description('list all codes')
    .action(({ json }: JsonOption) => list(context, json))
  withJson(invite.command('disable'))
    .argument('<code>')
    .description('disable a code; members it admitted stay')
    .action((code: string, { json }: JsonOption) => disable(context, code, json))
}

async function create(context: CliContext, options: CreateOptions): Promise<void> {
  const config = context.config()
  const { uses: maxUses, days } = options
  const note = options.note.slice(0, MAX_NOTE_LENGTH)
  const server = await findServer(config.dataDir)
  const own = isByInvite(config.members) ? `${config.publicOrigin}/invite` : undefined
  const { code, page } = server
    ? await server.ask<Made>('POST', '/invites', json({ maxUses, days, note }))
    : { code: newInviteCode(), page: own }
  if (!server) {
    const expiresAt = days === undefined ? null : Date.now() + days * DAY_MS
    await writingOffline(config, ({ writer }) =>
      writer.commit((ctx) => createInvite(ctx, { code, maxUses, note, expiresAt })),
    )
  }
  report(options.json, { code, maxUses, days, note, page }, code)
  if (options.json) return
  if (page) say(`People enter it at ${page}`)
  else say('It works once SLIPSTREAM_MEMBERS contains the word invite.')
}

async function list(context: CliContext, asJson?: boolean): Promise<void> {
  const config = context.config()
  const { invites } = await readingAnyhow(config, '/invites', (db) => ({
    invites: listInvites(db, MAX_LISTED_INVITES).map(inviteLine),
  }))
  report(asJson, { invites }, describe(invites))
}

async function disable(context: CliContext, text: string, asJson?: boolean): Promise<void> {
  const config = context.config()
  const code = readInviteCode(text)
  if (!code) throw noSuchInvite()
  const server = await findServer(config.dataDir)
  if (server) await server.ask('DELETE', `/invites/${code}`)
  else {
    const isDone = await writingOffline(config, ({ writer }) =>
      writer.commit((ctx) => disableInvite(ctx, code)),
    )
    if (!isDone) throw noSuchInvite()
  }
  report(asJson, { code }, `${code} is disabled.`)
}

function noSuchInvite(): CliError {
  return new CliError('There is no such active invite.', '`slipstream invite list` lists them.')
}

function describe(invites: readonly InviteLine[]): string {
  if (invites.length === 0) return 'No invites. Create one with `slipstream invite create`.'
  const rows = invites.map((invite) => [
    invite.code,
    `${invite.uses} of ${invite.maxUses}`,
    invite.disabledAt ? 'disabled' : (invite.expiresAt?.slice(0, 10) ?? 'no end'),
    invite.note,
  ])
  return table(['code', 'used', 'until', 'note'], rows)
}

function json(value: unknown): string {
  return JSON.stringify(value)
}
