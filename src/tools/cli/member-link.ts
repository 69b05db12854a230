// `slipstream member link`: a URL that shows a member's timeline in a browser, without a client.

import type { Command } from 'commander'
import { HOUR_MS } from '../../base/util/durations.ts'
import { createReadingTokens, MAX_READING_HOURS } from '../../http/server/reading-token.ts'
import type { CliContext } from './context.ts'
import { CliError, EXIT } from './fail.ts'
import { type JsonOption, withJson } from './json-option.ts'
import { memberCalled } from './member-called.ts'
import { report } from './terminal.ts'
import { wholeNumber } from './whole-number.ts'

const DEFAULT_HOURS = 24

export function addMemberLink(member: Command, context: CliContext): void {
  withJson(member.command('link'))
    .argument('<account>', 'a member’s handle or DID')
    .description('print a browser link to their timeline, valid for some hours')
    .option(
      '--hours <n>',
      `how long it works, at most ${MAX_READING_HOURS}`,
      wholeNumber(1, MAX_READING_HOURS),
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
  const { operatorToken, publicOrigin } = context.config()
  if (operatorToken === undefined) {
    const hint =
      'Set it, for example to the output of `openssl rand -hex 24`, and restart the server.'
    throw new CliError('/read is off without SLIPSTREAM_OPERATOR_TOKEN.', hint, EXIT.config)
  }
  const did = await memberCalled(context, account)
  const url = `${publicOrigin}/read#${createReadingTokens(operatorToken).mint(did, hours)}`
  const until = new Date(Date.now() + hours * HOUR_MS).toISOString()
  report(json, { did, url, until }, url)
}
