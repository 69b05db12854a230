// Starts the load generator's process and sends it plans: one process that runs one plan after the other
// until stopped.

import { fork } from 'node:child_process'
import { join } from 'node:path'
import type { LoadMessage, LoadPlan, LoadReport } from './types.ts'

export type LoadHooks = {
  /** The warm-up is over: read the server's clocks now. */
  onMeasuring?: () => void
  onMeasured?: () => void
}

export type LoadGenerator = {
  readonly pid: number
  /**
   * Runs one plan at a time.
   * @throws if the server breaks a connection or sends an unreadable answer
   */
  run(plan: LoadPlan, hooks?: LoadHooks): Promise<LoadReport>
  stop(): void
}

export function startLoadGenerator(): LoadGenerator {
  const child = fork(join(import.meta.dirname, 'generator.ts'), { serialization: 'advanced' })
  const end = () => child.kill('SIGKILL')
  process.once('exit', end)
  return {
    pid: child.pid!,
    run: (plan, hooks = {}) =>
      new Promise((resolve, reject) => {
        const settle = (finish: () => void) => {
          child.off('message', hear)
          child.off('exit', die)
          finish()
        }
        const die = () => settle(() => reject(new Error('the load generator ended')))
        const hear = (message: LoadMessage) => {
          if (message.kind === 'measuring') hooks.onMeasuring?.()
          else if (message.kind === 'measured') hooks.onMeasured?.()
          else if (message.kind === 'report') settle(() => resolve(message.report))
          else settle(() => reject(new Error(message.message)))
        }
        child.on('message', hear)
        child.once('exit', die)
        child.send(plan)
      }),
    stop: () => {
      process.off('exit', end)
      child.disconnect()
    },
  }
}

/** A GET request as bytes; `token` is the bearer token. */
export function getRequest(path: string, token?: string, encoding = 'identity'): Buffer {
  const authorization = token === undefined ? '' : `authorization: Bearer ${token}\r\n`
  return Buffer.from(
    `GET ${path} HTTP/1.1\r\nhost: localhost\r\n${authorization}accept-encoding: ${encoding}\r\n\r\n`,
  )
}
