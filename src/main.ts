// The process and nothing else: arguments, settings, signals, exit codes.
//
// Exit codes: 0 after a clean stop, 78 (EX_CONFIG) for an operator's mistake, 74 (EX_IOERR) for a disk
// that is full or fails and a database that is damaged, 70 (EX_SOFTWARE) for a broken invariant or
// anything else unexpected.

import { parseArgs } from 'node:util'
import { type Config, ConfigError, loadConfig, printConfig } from './config.ts'
import { createLogger, type Logger } from './obs/log.ts'
import { storeTrouble } from './store/trouble.ts'
import { version } from './version.ts'

const EXIT_CONFIG = 78
const EXIT_SOFTWARE = 70
const EXIT_IO = 74
const STOP_TIMEOUT_MS = 20_000

const HELP = `Usage: scripts/start [option]

Runs Slipstream with the settings found in the environment and in .env.

  --demo           run against a simulated network, offline, and print a first request
  --print-config   print every setting, with its meaning and value, and stop
  --version        print the version and stop
  --help           print this and stop
`

const options = {
  'print-config': { type: 'boolean' },
  version: { type: 'boolean' },
  help: { type: 'boolean' },
} as const

await run().catch(fail)

async function run(): Promise<void> {
  const asked = readArguments()
  if (asked.help) return print(HELP)
  if (asked.version) return print(`${version}\n`)
  const config = loadConfig()
  if (asked['print-config']) return print(`${printConfig(config)}\n`)
  await serve(config)
}

/** The app is imported only now: help and refusals need not wait for it. */
async function serve(config: Config): Promise<void> {
  const log = createLogger({ level: config.logLevel, name: 'slipstream' })
  const { startApp } = await import('./app.ts')
  const starting = startApp({ config, log, onFatal: fail })
  const stop = (signal: string) => {
    log.info({ signal }, 'stopping')
    setTimeout(() => stuck(log), STOP_TIMEOUT_MS).unref()
    starting.then((app) => app.close()).then(() => process.exit(0), fail)
  }
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
  await starting
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

function stuck(log: Logger): void {
  log.error(`stopping took longer than ${STOP_TIMEOUT_MS / 1000} s; ending without waiting further`)
  process.exit(EXIT_SOFTWARE)
}

function fail(error: unknown): never {
  if (error instanceof ConfigError) {
    process.stderr.write(`slipstream: ${error.message}\n  ${error.hint}\n`)
    process.exit(EXIT_CONFIG)
  }
  const trouble = storeTrouble(error)
  if (trouble) {
    process.stderr.write(`slipstream: ${trouble.message}\n  ${trouble.hint}\n`)
    process.exit(EXIT_IO)
  }
  process.stderr.write(`slipstream: ${error instanceof Error ? error.stack : String(error)}\n`)
  process.exit(EXIT_SOFTWARE)
}
