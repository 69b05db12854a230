// `slipstream moderation …`: hidden content, banned accounts, and who decided so.

import type { Command } from 'commander'
import type { Config } from '../../base/config/config.ts'
import type { ModerationAct } from '../../data/store/moderation/moderation-log.ts'
import {
  MAX_LISTED_DECISIONS,
  type ModerationAnswer,
  type ModerationLists,
  type ModerationRequest,
  moderationLists,
  refuseUnfitTag,
} from '../../http/operator/moderation.ts'
import { CliError } from '../fail.ts'
import type { CliContext } from './context.ts'
import { findServer } from './control-client.ts'
import { type JsonOption, withJson } from './json-option.ts'
import { readingAnyhow, refuseMissing, writingOffline } from './offline.ts'
import { report, table } from './terminal.ts'

type Options = JsonOption & { reason: string; by?: string; blobs?: boolean }
type ActRequest = Omit<ModerationRequest, 'ref'>

const TAGGED = 'a handle, a DID, or the address of a post'
const TAG = 'a tag that the settings name, such as search-hide or thread-hide'
const SUBJECT = 'a handle, a DID, an at-URI, or the address of a post or profile'

const DONE: Record<ModerationAct, [done: string, before: string]> = {
  hide: ['is hidden from everyone here.', 'was already hidden.'],
  show: ['is shown again.', 'was not hidden.'],
  ban: ['can no longer read here.', 'was already banned.'],
  allow: ['can read here again.', 'was not banned.'],
  tag: ['now has the tag', 'already had the tag'],
  untag: ['no longer has the tag', 'did not have the tag'],
}

export function addModeration(program: Command, context: CliContext): void {
  const moderation = program
    .command('moderation')
    .description('hide records and accounts, ban accounts, and see who decided what')
  const add = (act: ModerationAct, argument: string, description: string) =>
    withJson(moderation.command(act))
      .argument('<subject>', argument)
      .description(description)
      .option('--reason <text>', 'for the log', '')
      .option('--by <name>', 'who decided, for the log (you)')
  const carries = (act: ModerationAct) => (subject: string, options: Options) =>
    carryOut(context, { act, subject, tag: '', ...wordsOf(context, options) }, options.json)
  const carriesTag = (act: ModerationAct) => (subject: string, tag: string, options: Options) =>
    carryOut(context, { act, subject, tag, ...wordsOf(context, options) }, options.json)
  add('hide', SUBJECT, 'hide an account or a record in every answer, with its pictures and videos')
    .option('--no-blobs', 'keep serving its pictures and videos')
    .addHelpText('after', HIDE_HELP)
    .action(carries('hide'))
  add('show', SUBJECT, 'show a hidden subject again').alias('unhide').action(carries('show'))
  add('ban', 'a handle or a DID', 'stop an account from reading here, which ends its membership')
    .addHelpText('after', BAN_HELP)
    .action(carries('ban'))
  add('allow', 'a handle or a DID', 'end a ban').alias('unban').action(carries('allow'))
  add('tag', TAGGED, 'tag a post or an account, to lower it in search, threads or notifications')
    .argument('<tag>', TAG)
    .addHelpText('after', TAG_HELP)
    .action(carriesTag('tag'))
  add('untag', TAGGED, 'remove a tag').argument('<tag>', TAG).action(carriesTag('untag'))
  withJson(moderation.command('list'))
    .description('list hidden content, bans, and the latest decisions')
    .action(({ json }: JsonOption) => list(context, json))
}

const BAN_HELP = `
This deletes their mutes, bookmarks and drafts; \`slipstream member export\` saves them first. Their posts stay;
\`hide\` hides those.`

const TAG_HELP = `
Tags are not public. SLIPSTREAM_SEARCH_TAGS_HIDE and the settings after it define them.

Examples:
  slipstream moderation tag spam.example.org search-hide --reason "floods hashtags"
  slipstream moderation tag https://bsky.app/profile/alice.example.org/post/3lk6zz2yb7s2x thread-hide`

const HIDE_HELP = `
Nothing is deleted: \`slipstream moderation show\` brings it back. It is hidden from readers of this server;
other servers are not told.

Examples:
  slipstream moderation hide spam.example.org --reason "nothing but spam"
  slipstream moderation hide https://bsky.app/profile/alice.example.org/post/3lk6zz2yb7s2x`

function wordsOf(
  context: CliContext,
  options: Options,
): Pick<ActRequest, 'reason' | 'by' | 'blobs'> {
  const { reason, by = context.caller(), blobs = true } = options
  return { reason, by, blobs }
}

async function carryOut(context: CliContext, request: ActRequest, asJson?: boolean): Promise<void> {
  const config = context.config()
  const server = await findServer(config.dataDir)
  const answer = server
    ? await server.ask<ModerationAnswer>('POST', '/moderation', JSON.stringify(request))
    : await carryOutOffline(config, request)
  const [done, before] = DONE[request.act]
  const blobs = answer.blobs > 0 ? ` So are ${answer.blobs} of its pictures or videos.` : ''
  const tag = request.tag === '' ? '' : ` ${request.tag}.`
  const what = answer.changed ? done + tag + blobs : before + tag
  report(asJson, answer, `${subjectOf(request, answer)} ${what}`)
}

/** As it was given, and what that was taken for. */
function subjectOf(request: ActRequest, { subject }: ModerationAnswer): string {
  return request.subject === subject ? subject : `${request.subject} (${subject})`
}

async function carryOutOffline(config: Config, request: ActRequest): Promise<ModerationAnswer> {
  refuseMissing(config.dataDir)
  const { blobsOf, readSubject } = await import('../../http/operator/moderation-subject.ts')
  const { accountKnownAs } = await import('../../http/operator/members.ts')
  const { resolveOffline } = await import('./resolve-offline.ts')
  const { decide } = await import('../../ingest/indexing/moderation/moderation.ts')
  const { OperatorError } = await import('../../http/operator/operator-error.ts')
  return writingOffline(config, async ({ db, actors, writer }) => {
    const didOf = async (handle: string) =>
      accountKnownAs(db, handle) ?? (await resolveOffline(config, handle)).did
    const read = async () => {
      refuseUnfitTag(config, request)
      return readSubject(request.subject, didOf)
    }
    const subject = await read().catch((error: unknown) => {
      if (!(error instanceof OperatorError)) throw error
      throw new CliError(error.message, error.hint)
    })
    const blobs = request.act === 'hide' && request.blobs ? blobsOf({ db, actors }, subject) : []
    const changed = writer.commit((ctx) => decide(ctx, { ...request, subject, blobs }))
    return { subject, changed, blobs: blobs.length }
  })
}

async function list(context: CliContext, asJson?: boolean): Promise<void> {
  const config = context.config()
  const lists = await readingAnyhow(config, '/moderation', (db) =>
    moderationLists(db, MAX_LISTED_DECISIONS),
  )
  report(asJson, lists, describe(lists))
}

function named({ subject, about }: { subject: string; about: string | undefined }): string {
  return about ? `${subject} (${about})` : subject
}

function describe({ takedowns, bans, tags, log }: ModerationLists): string {
  if (log.length === 0) return 'No hidden content, no bans, and an empty log.'
  const hidden = takedowns.map(({ at, ...item }) => [at.slice(0, 10), named(item)])
  const banned = bans.map(({ at, did, about }) => [at.slice(0, 10), named({ subject: did, about })])
  const tagged = tags.map(({ tag, at, ...item }) => [at.slice(0, 10), tag, named(item)])
  const decided = log.map((item) => [
    item.at.slice(0, 16).replace('T', ' '),
    item.tag ? `${item.act} ${item.tag}` : item.act,
    item.by,
    named(item),
    item.reason,
  ])
  return [
    ...(hidden.length > 0 ? [table(['hidden', 'what'], hidden), ''] : []),
    ...(banned.length > 0 ? [table(['banned', 'who'], banned), ''] : []),
    ...(tagged.length > 0 ? [table(['tagged', 'tag', 'what'], tagged), ''] : []),
    table(['decided', 'act', 'by', 'about', 'reason'], decided),
  ].join('\n')
}
