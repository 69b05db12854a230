// The server, for scripts/start: only its few options. All other operator commands are in
// src/tools/cli/.
//
// Exit codes (tools/fail.ts): 0 after a clean stop, 78 for an operator's mistake, 74 for a full or
// failing disk or a damaged database, 70 for a broken invariant or anything else unexpected.

import '../base/util/v8-flags.ts'
import { parseArgs } from 'node:util'
import { ConfigError, loadConfig, printConfig } from '../base/config/config.ts'
import { version } from '../base/util/version.ts'
import { PRIVATE_UMASK } from '../data/store/files/data-folder.ts'
import { askFirst } from './cli/first-run/first-run.ts'
import { serve } from './cli/serve.ts'
import { fail } from './fail.ts'

const HELP = `Usage: scripts/start [option]

Runs Slipstream with the settings found in the environment and in .env. Where nothing is set, it asks who may read
and which host name leads here, if there is a terminal.
scripts/slipstream --help lists what else an operator can do.

  --demo           run against a simulated network, offline, and print a first request
  --print-config   print every setting, with its meaning and value, and stop
  -V, --version    print the version and stop
  -h, --help       print this and stop
`

const options = {
  'print-config': { type: 'boolean' },
  version: { type: 'boolean', short: 'V' },
  help: { type: 'boolean', short: 'h' },
  // From scripts/start.
  nohup: { type: 'boolean' },
} as const

process.umask(PRIVATE_UMASK)
await run().catch(fail)

async function run(): Promise<void> {
  const requested = readArguments()
  if (requested.help) return print(HELP)
  if (requested.version) return print(`${version}\n`)
  if (!requested['print-config']) await askFirst()
  const config = loadConfig()
  if (requested['print-config']) return print(`${printConfig(config)}\n`)
  await serve(config, requested)
}

function readArguments() {
  try {
    return parseArgs({ options, strict: true }).values
  } catch (error) {
    throw new ConfigError((error as Error).message, 'scripts/start --help lists the options.')
  }
}

function print(text: string): void {
  process.stdout.write(text)
}
