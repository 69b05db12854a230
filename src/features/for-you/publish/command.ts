// `slipstream for-you`: offers For You to users of other servers, by a record in a member's repository. The member
// agrees by an app password, which is used once and kept nowhere.

import type { Command } from 'commander'
import type { Config } from '../../../base/config/config.ts'
import { settingsOf } from '../../../base/config/every-setting.ts'
import { createLogger } from '../../../base/obs/log.ts'
import { createGuardedFetch } from '../../../sources/identity/guarded-fetch.ts'
import { createResolver } from '../../../sources/identity/resolver.ts'
import type { CliContext } from '../../../tools/cli/context.ts'
import { type JsonOption, withJson } from '../../../tools/cli/json-option.ts'
import { memberNamed } from '../../../tools/cli/member-called.ts'
import { report } from '../../../tools/cli/terminal.ts'
import { CliError, EXIT } from '../../../tools/fail.ts'
import { generatorUri } from '../generator.ts'
import { forYouSettings } from '../settings.ts'
import { askPassword } from './password.ts'
import { openSession, type PdsSession } from './pds-session.ts'
import { publish, type Wording, withdraw } from './record.ts'

type Options = JsonOption & Wording

const HELP = `
The record names this server as the one that makes the feed. The member agrees with an app password of theirs
(asked for, or read from standard input), which is used once. Publish again to change the words; what else the record
has, such as a picture, stays.

Examples:
  slipstream for-you publish alice.example.org
  slipstream for-you publish alice.example.org --name 'Liked nearby'
  slipstream for-you withdraw alice.example.org`

export function addForYou(program: Command, context: CliContext): void {
  const forYou = program
    .command('for-you')
    .description('offer For You to users of other servers, or no longer')
    .addHelpText('after', HELP)
  withJson(forYou.command('publish'))
    .argument('<account>', 'the member whose feed it is: a handle or DID')
    .description('write the feed’s record into the member’s repository')
    .option('--name <text>', 'what the feed is called (For You)')
    .option('--description <text>', 'what is said about it')
    .action((account: string, options: Options) => publishFor(context, account, options))
  withJson(forYou.command('withdraw'))
    .argument('<account>', 'the member whose feed it is: a handle or DID')
    .description('delete the record')
    .action((account: string, options: Options) => withdrawFor(context, account, options))
}

async function publishFor(context: CliContext, account: string, options: Options): Promise<void> {
  const config = context.config()
  const { forYouMb, forYouPublisher } = settingsOf(config, forYouSettings)
  if (forYouMb === 0)
    throw new CliError('For You is off.', 'Set SLIPSTREAM_FOR_YOU_MB.', EXIT.config)
  const { did } = await memberNamed(context, account)
  const question = `App password of ${account}, who agrees that ${config.hostname} offers For You in their name:`
  await inSession(config, { did, question }, (session) =>
    publish(session, { repo: did, serviceDid: config.serviceDid, now: new Date() }, options),
  )
  const uri = generatorUri(did)
  const isSet = forYouPublisher === did
  const next = isSet ? '' : `\nNow set SLIPSTREAM_FOR_YOU_PUBLISHER=${did} and restart the server.`
  report(options.json, { uri, isSet }, `Published: ${uri}${next}`)
}

async function withdrawFor(context: CliContext, account: string, { json }: Options): Promise<void> {
  const config = context.config()
  const { did } = await memberNamed(context, account)
  const question = `App password of ${account}, to delete their feed’s record:`
  await inSession(config, { did, question }, (session) => withdraw(session, did))
  const uri = generatorUri(did)
  report(json, { uri }, `Withdrawn: ${uri}`)
}

async function inSession(
  { allowPrivateHosts, plcUrl }: Config,
  { did, question }: { did: string; question: string },
  act: (session: PdsSession) => Promise<void>,
): Promise<void> {
  const log = createLogger({ level: 'silent', name: 'cli' })
  const fetch = createGuardedFetch({ allowPrivateHosts, trustedOrigins: [plcUrl], log })
  const identity = await createResolver({ allowPrivateHosts, plcUrl, fetch, log }).resolve(did)
  if (!identity?.pds) {
    throw new CliError(`${did} has no server that could be found.`, 'Try later.', EXIT.unavailable)
  }
  const password = await askPassword(question)
  const session = await openSession(fetch, { did, pds: identity.pds }, password)
  try {
    await act(session)
  } finally {
    // A session that can't be ended expires by itself.
    await session.end().catch(() => undefined)
  }
}
