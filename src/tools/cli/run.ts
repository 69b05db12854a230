// The command line: `scripts/slipstream`, or `slipstream` of the npm package (bin/slipstream).

import { CommanderError } from 'commander'
import { PRIVATE_UMASK } from '../../data/store/files/data-folder.ts'
import { EXIT, fail } from '../fail.ts'
import { loadToolsFeatures } from '../feature.ts'
import { createProgram } from './program.ts'

const program = createProgram(await loadToolsFeatures())

process.umask(PRIVATE_UMASK)
await run().catch(fail)

async function run(): Promise<void> {
  for (const command of [
    program,
    ...program.commands,
    ...program.commands.flatMap((c) => c.commands),
  ]) {
    command.exitOverride()
  }
  try {
    if (process.argv.length <= 2) program.help()
    await program.parseAsync()
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    // Commander has already printed its message.
    process.exitCode = error.exitCode === 0 ? 0 : EXIT.usage
  }
}
