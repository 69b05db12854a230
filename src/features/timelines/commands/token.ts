// `slipstream token …`: named tokens for programs that read timelines or post to them.

import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import { OperatorError } from '../../../http/operator/operator-error.ts'
import type { CliContext } from '../../../tools/cli/context.ts'
import { findServer } from '../../../tools/cli/control-client.ts'
import { integer } from '../../../tools/cli/integer.ts'
import { type JsonOption, withJson } from '../../../tools/cli/json-option.ts'
import { readingAnyhow, writingOffline } from '../../../tools/cli/offline.ts'
import { report, say, table } from '../../../tools/cli/terminal.ts'
import { CliError } from '../../../tools/fail.ts'
import {
  checkTokenFields,
  DEFAULT_RATE,
  isTokenName,
  MAX_DAYS,
  MAX_RATE,
  rowOf,
  type TokenLine,
  tokenLine,
} from '../operator/tokens.ts'
import { listServiceTokens, newServiceToken } from '../store/programs/service-tokens.ts'
import { createToken, revokeToken, TokenError } from '../writing/tokens.ts'

type CreateOptions = JsonOption & {
  scope: string[]
  rate: number
  days?: number
  tokenStdin?: boolean
}

export function addToken(program: Command, context: CliContext): void {
  const token = program
    .command('token')
    .description('tokens for programs that read timelines or post to them')
  withJson(token.command('create'))
    .argument('<name>', 'a name for the program')
    .description('create a token; it is shown once')
    .requiredOption(
      '--scope <scope...>',
      'what it may do: read:…, post:custom:…, graph:read, graph:write:…',
    )
    .option(
      '--rate <n>',
      'requests in five minutes (0: no limit)',
      integer(0, MAX_RATE),
      DEFAULT_RATE,
    )
    .option('--days <n>', 'days until it expires (never)', integer(1, MAX_DAYS))
    .option('--token-stdin', 'use a token that another node made, from standard input')
    .addHelpText(
      'after',
      '\nExample:\n  slipstream token create digest --scope "read:following:*" "post:custom:digest"',
    )
    .action((name: string, options: CreateOptions) => create(context, name, options))
  withJson(token.command('list'))
    .description('list all tokens, without their secrets')
    .action(({ json }: JsonOption) => list(context, json))
  withJson(token.command('revoke'))
    .argument('<name>')
    .description('revoke a token')
    .action((name: string, { json }: JsonOption) => revoke(context, name, json))
}

async function create(context: CliContext, name: string, options: CreateOptions): Promise<void> {
  const config = context.config()
  const { scope: scopes, rate, days } = options
  const given = options.tokenStdin ? { token: (await text(process.stdin)).trim() } : {}
  const fields = explained(() => checkTokenFields({ name, scopes, rate, days, ...given }))
  const server = await findServer(config.dataDir)
  let token = fields.token ?? newServiceToken()
  if (server) {
    const made = await server.ask<{ token: string }>('POST', '/tokens', JSON.stringify(fields))
    token = made.token
  } else {
    await writingOffline(config, ({ writer }) =>
      explained(() => writer.commit((ctx) => createToken(ctx, rowOf(fields, token, Date.now())))),
    )
  }
  report(options.json, { ...fields, token }, token)
  if (!options.json) say('Save it now: it is not shown again.')
}

async function list(context: CliContext, asJson?: boolean): Promise<void> {
  const config = context.config()
  const { tokens } = await readingAnyhow(config, '/tokens', (db) => ({
    tokens: listServiceTokens(db).map(tokenLine),
  }))
  report(asJson, { tokens }, describe(tokens))
}

async function revoke(context: CliContext, name: string, asJson?: boolean): Promise<void> {
  const config = context.config()
  if (!isTokenName(name)) throw noSuchToken()
  const server = await findServer(config.dataDir)
  if (server) await server.ask('DELETE', `/tokens/${encodeURIComponent(name)}`)
  else {
    const isDone = await writingOffline(config, ({ writer }) =>
      writer.commit((ctx) => revokeToken(ctx, name)),
    )
    if (!isDone) throw noSuchToken()
  }
  report(asJson, { name }, `The token ${name} is revoked.`)
}

function noSuchToken(): CliError {
  return new CliError('There is no such active token.', '`slipstream token list` lists them.')
}

function explained<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof OperatorError) throw new CliError(error.message, error.hint)
    if (error instanceof TokenError) {
      throw new CliError(error.message, '`slipstream token list` lists them.')
    }
    throw error
  }
}

function describe(tokens: readonly TokenLine[]): string {
  if (tokens.length === 0) return 'No tokens. Create one with `slipstream token create`.'
  const rows = tokens.map((token) => [
    token.name,
    token.revokedAt ? 'revoked' : (token.expiresAt?.slice(0, 10) ?? 'no end'),
    token.rate === 0 ? 'no limit' : String(token.rate),
    token.scopes.join(' '),
  ])
  return table(['name', 'until', 'rate', 'scopes'], rows)
}
