import type { Config } from '../../base/config/config.ts'
import { createLogger, type Logger } from '../../base/obs/log.ts'
import { EXIT, fail } from '../fail.ts'

const STOP_TIMEOUT_MS = 20_000

/** Imports the app only now: help and refusals need not wait for it. */
export async function serve(config: Config): Promise<void> {
  const log = createLogger({ level: config.logLevel, name: 'slipstream' })
  const { startApp } = await import('../../app.ts')
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

function stuck(log: Logger): void {
  log.error(`stopping took longer than ${STOP_TIMEOUT_MS / 1000} s; ending now`)
  process.exit(EXIT.software)
}
