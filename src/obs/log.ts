// One logger a thread: JSON lines on standard output, or readable lines where that is a terminal.

import { pino } from 'pino'
import pretty from 'pino-pretty'

export type Logger = pino.Logger

export function createLogger(options: { level: string; name: string }): Logger {
  const { level, name } = options
  const destination = process.stdout.isTTY
    ? pretty({ colorize: true, ignore: 'pid,hostname', sync: true })
    : pino.destination({ fd: 1, sync: true })
  return pino({ level, name, timestamp: pino.stdTimeFunctions.isoTime }, destination)
}
