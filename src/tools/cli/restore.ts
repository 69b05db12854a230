// `slipstream restore`: replaces the database with a backup. Never while a server runs.

import type { Command } from 'commander'
import { ConfigError } from '../../base/config/config.ts'
import { type Restored, restoreBackup } from '../../data/store/files/restore.ts'
import { here } from '../doctor/cures.ts'
import { CliError, EXIT } from '../fail.ts'
import { runFurther, type ToolsFeature } from '../feature.ts'
import type { CliContext } from './context.ts'
import { findServer } from './control-client.ts'
import { type JsonOption, withJson } from './json-option.ts'
import { locked } from './offline.ts'
import { megabytes, report, say } from './terminal.ts'

const HELP = `
Stop the server first. The backup is checked before anything changes, and the previous database is kept beside
it under another name; delete it once all is well. The server then resumes from the time of the backup. Events
too old for Jetstream to replay become a gap, which is repaired from the accounts' servers.

Examples:
  slipstream restore - < slipstream-20261121T101733.250Z.sqlite
  slipstream restore /mnt/backups/slipstream-20261121T101733.250Z.sqlite`

const STEPS = { copying: 'copying it', checking: 'checking it', placing: 'putting it in place' }

export function addRestore(
  program: Command,
  context: CliContext,
  features: readonly ToolsFeature[],
): void {
  const further = features.map((feature) => feature.further?.restore)
  const command = withJson(program.command('restore'))
    .argument('[file]', 'a file that `slipstream backup` wrote (- for standard input)')
    .description('replace the database with a backup')
    .addHelpText('after', HELP)
    .action(async (file: string | undefined, options: JsonOption) => {
      await refuseWhileRunning(context)
      if (file !== undefined) return restore(context, file, options.json)
      if (await runFurther(further, options, context)) return
      throw new CliError('Which backup?', 'Give a file, or - for standard input.', EXIT.usage)
    })
  for (const item of further) item?.addTo(command)
}

async function refuseWhileRunning(context: CliContext): Promise<void> {
  if (!(await findServer(context.config().dataDir))) return
  throw new ConfigError('A server is using this data folder.', `${here.stop} Then restore.`)
}

async function restore(context: CliContext, file: string, json?: boolean): Promise<void> {
  const { dataDir } = context.config()
  const from = context.input(file)
  const onStep = (step: keyof typeof STEPS) => say(STEPS[step])
  const restored = await locked(dataDir, () => restoreBackup({ dataDir, from, onStep }))
  report(json, restored, describe(restored))
}

function describe({ schema, bytes, keptAs }: Restored): string {
  const copy = keptAs
    ? `\nThe previous database is kept as ${keptAs}; delete it once all is well.`
    : ''
  return `Restored ${megabytes(bytes)}, schema ${schema}. Start the server now.${copy}`
}
