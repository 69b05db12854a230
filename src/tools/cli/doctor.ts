// `slipstream doctor`: checks everything that can be wrong with this machine, its settings and its network
// access. Each line reports a success, or a problem and its fix.

import { styleText } from 'node:util'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { examineConfig, settingSources } from '../../base/config/config.ts'
import { areas } from '../doctor/areas.ts'
import type { Examination, Examined } from '../doctor/examine.ts'
import type { Finding, Level } from '../doctor/finding.ts'
import { EXIT } from '../fail.ts'
import { checksOf, processBytesOf, type ToolsFeature } from '../feature.ts'
import { callServer } from './call-server.ts'
import { type JsonOption, withJson } from './json-option.ts'
import { bold, dim, report, startProgress } from './terminal.ts'

const DOTENV = '.env'

const SIGNS: Record<Level, { sign: string; colour: Parameters<typeof styleText>[0] }> = {
  good: { sign: 'good ', colour: 'green' },
  notice: { sign: 'note ', colour: 'yellow' },
  wrong: { sign: 'WRONG', colour: 'red' },
  unchecked: { sign: '?    ', colour: 'dim' },
}

export function addDoctor(program: Command, features: readonly ToolsFeature[]): void {
  const known = [...new Set([...areas, ...checksOf(features).map(({ area }) => area)])]
  withJson(program.command('doctor'))
    .description('check settings, machine and network, and say how to fix what is wrong')
    .option('--only <areas>', 'check only these areas, separated by commas', (text) =>
      readAreas(text, known),
    )
    .addOption(
      new Option(
        '--independence',
        'list the servers that readers depend on, and the setting that replaces each',
      ).conflicts('only'),
    )
    .addHelpText('after', helpOf(known))
    .action((options: Options) =>
      options.independence ? tellOthers(options) : seeDoctor(options, features),
    )
}

type Options = JsonOption & { only?: string[]; independence?: boolean }

const helpOf = (known: readonly string[]) => `
Exits with 0 if nothing is wrong, else with ${EXIT.failed}. Works with the server running or stopped.
Areas: ${known.join(', ')}.

Examples:
  slipstream doctor
  slipstream doctor --only jetstream,plc
  slipstream doctor --independence
  slipstream doctor --json | jq '.areas[].findings[] | select(.level == "wrong")'`

async function seeDoctor(
  { json, only }: Options,
  features: readonly ToolsFeature[],
): Promise<void> {
  // Imported late: they load slowly, and other commands don't need them.
  const { checksWith } = await import('../doctor/checks.ts')
  const { createDoctorContext } = await import('../doctor/network/connect.ts')
  const { examine } = await import('../doctor/examine.ts')
  const { config, problems } = examineConfig()
  const doctor = createDoctorContext({
    config,
    problems,
    processBytes: processBytesOf(features, config),
    dotenvPath: DOTENV,
    setKeys: settingSources(),
    server: await callServer(config.dataDir),
  })
  const wanted = checksWith(checksOf(features)).filter(({ area }) => only?.includes(area) ?? true)
  const progress = startProgress('Checking', wanted.length)
  let done = 0
  const onDone = ({ area }: Examined) => progress.update(++done, area)
  const examination = await examine(wanted, doctor, { onDone })
  progress.stop()
  report(json, examination, describe(examination))
  // Abandoned lookups may still hold sockets.
  process.exit(examination.ok ? 0 : EXIT.failed)
}

async function tellOthers({ json }: Options): Promise<void> {
  const { dependenciesOf } = await import('../doctor/independence.ts')
  const { config, problems } = examineConfig()
  const dependencies = dependenciesOf(config)
  const texts = dependencies.map(({ what, hosts, askedBy, gives, without, setting }) =>
    [
      `${bold(what)}: ${hosts.join(', ')}${askedBy === 'client' ? ' (used by clients)' : ''}`,
      `  gives    ${gives}`,
      `  without  ${without}`,
      `  ${dim('→')} ${setting ?? 'no setting'}`,
    ].join('\n'),
  )
  const sum =
    'Members can load Following without any of these servers, with everything received so far.'
  const wrong = problems.map(({ message }) => message)
  const doubt = wrong.map((message) => `WRONG: ${safe(message)} The list is of its default.`)
  report(json, { dependencies, problems: wrong }, [...texts, sum, ...doubt].join('\n\n'))
  // A server with these settings does not start, so it depends on nobody.
  if (wrong.length > 0) process.exitCode = EXIT.failed
}

function describe({ areas: examined }: Examination): string {
  const all = examined.flatMap(({ findings }) => findings)
  const count = (level: Level) => all.filter((finding) => finding.level === level).length
  const sum = `${count('good')} good, ${count('notice')} to know, ${count('wrong')} wrong, ${count('unchecked')} not checked`
  return [...examined.map(describeArea), bold(sum)].join('\n\n')
}

function describeArea({ area, findings }: Examined): string {
  return [bold(area), ...findings.map(describeFinding)].join('\n')
}

function describeFinding({ level, text, fix }: Finding): string {
  const { sign, colour } = SIGNS[level]
  const line = `  ${styleText(colour, sign, { stream: process.stdout })}  ${safe(text)}`
  return fix === undefined ? line : `${line}\n         ${dim('→')} ${safe(fix)}`
}

/** Some of the text comes from strangers' servers. */
function safe(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, ' ')
}

function readAreas(text: string, known: readonly string[]): string[] {
  const requested = text.split(',').map((part) => part.trim())
  const unknown = requested.find((area) => !known.includes(area))
  if (unknown === undefined) return requested
  throw new InvalidArgumentError(`There is no area ${unknown}. The areas are: ${known.join(', ')}.`)
}
