// One logger a thread: JSON lines on standard output, or readable lines where that is a terminal.

import { isatty } from 'node:tty'
import { pino } from 'pino'
import pretty from 'pino-pretty'

export type Logger = pino.Logger

export function createLogger(options: { level: string; name: string }): Logger {
  const { level, name } = options
  // Not process.stdout.isTTY: in a worker thread that is never set.
  const destination = isatty(1)
    ? pretty({ colorize: true, ignore: 'pid,hostname', singleLine: true, sync: true })
    : pino.destination({ fd: 1, sync: true })
  return pino({ level, name, timestamp: pino.stdTimeFunctions.isoTime }, destination)
}
