// `slipstream member link`: a URL that shows a member's timeline in a browser, without a client.

import type { Command } from 'commander'
import type { Config } from '../../base/config/config.ts'
import { OperatorError } from '../../http/operator/operator-error.ts'
import { type ReadingLink, readingLink } from '../../http/operator/reading-link.ts'
import { MAX_READING_HOURS } from '../../sources/identity/reading-token.ts'
import { CliError, EXIT } from '../fail.ts'
import type { CliContext } from './context.ts'
import { findServer } from './control-client.ts'
import { integer } from './integer.ts'
import { type JsonOption, withJson } from './json-option.ts'
import { memberCalled } from './member-called.ts'
import { report } from './terminal.ts'

const DEFAULT_HOURS = 24

export function addMemberLink(member: Command, context: CliContext): void {
  withJson(member.command('link'))
    .argument('<account>', 'a member’s handle or DID')
    .description('print a browser link to their timeline, valid for some hours')
    .option(
      '--hours <n>',
      `how long it works, at most ${MAX_READING_HOURS}`,
      integer(1, MAX_READING_HOURS),
      DEFAULT_HOURS,
    )
    .addHelpText('after', HELP)
    .action((account: string, { hours, json }: JsonOption & { hours: number }) =>
      link(context, account, { hours, json }),
    )
}

const HELP = `
Anyone with the link can read as this member, and can write nothing. It stops working after its hours,
when the membership ends, and when SLIPSTREAM_OPERATOR_TOKEN changes.

Example:
  slipstream member link alice.example.org --hours 2`

async function link(
  context: CliContext,
  account: string,
  { hours, json }: JsonOption & { hours: number },
): Promise<void> {
  const config = context.config()
  const did = await memberCalled(context, account)
  const server = await findServer(config.dataDir)
  const path = `/members/${encodeURIComponent(did)}/link`
  const made = server
    ? await server.ask<ReadingLink>('POST', path, JSON.stringify({ hours }))
    : linkOffline(config, { did, hours })
  report(json, made, made.url)
}

function linkOffline(config: Config, link: { did: string; hours: number }): ReadingLink {
  try {
    return readingLink(config, link)
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    throw new CliError(error.message, error.hint, EXIT.config)
  }
}
