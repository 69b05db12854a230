// One logger per thread: JSON lines on standard output, or readable lines if that is a terminal.

import { isatty } from 'node:tty'
import { pino } from 'pino'

export type Logger = pino.Logger

// Loads the formatter for readable lines only for a terminal, since each thread would load it. (Not
// process.stdout.isTTY: it is never set in a worker thread.)
const readable = isatty(1) ? (await import('./readable-log.ts')).readable : undefined

export function createLogger(options: { level: string; name: string }): Logger {
  const { level, name } = options
  const destination = readable ? readable(1) : pino.destination({ fd: 1, sync: true })
  return pino({ level, name, timestamp: pino.stdTimeFunctions.isoTime }, destination)
}
