import type { Config } from '../../base/config/config.ts'
import { createLogger, type Logger } from '../../base/obs/log.ts'
import { EXIT, fail } from '../fail.ts'

const STOP_TIMEOUT_MS = 20_000

/** Imports the app only now: help and refusals need not wait for it. */
export async function serve(config: Config, { nohup = false } = {}): Promise<void> {
  const log = createLogger({ level: config.logLevel, name: 'slipstream' })
  const { startApp } = await import('../../app.ts')
  const starting = startApp({ config, log, onFatal: fail })
  onSignals({ log, nohup }, () => {
    setTimeout(() => stuck(log), STOP_TIMEOUT_MS).unref()
    starting.then((app) => app.close()).then(() => process.exit(0), fail)
  })
  await starting
}

/**
 * The first signal stops the server; npm sends a terminal's Ctrl-C a second time, which must not cut that short.
 * SIGHUP is a closed terminal; nohup has it ignored, which Node undoes at its start.
 */
function onSignals({ log, nohup }: { log: Logger; nohup: boolean }, stop: () => void): void {
  let isStopping = false
  const stopOnce = (signal: string) => {
    log.info({ signal }, isStopping ? 'still stopping, in 20 seconds at most' : 'stopping')
    if (!isStopping) stop()
    isStopping = true
  }
  process.on('SIGTERM', stopOnce)
  process.on('SIGINT', stopOnce)
  const runOn = () => log.info('the terminal closed; running on, as nohup asks')
  process.on('SIGHUP', nohup ? runOn : stopOnce)
}

function stuck(log: Logger): void {
  log.error(`stopping took longer than ${STOP_TIMEOUT_MS / 1000} s; ending now`)
  process.exit(EXIT.software)
}
