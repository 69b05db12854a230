// One logger a thread: JSON lines on standard output, or readable lines where that is a terminal.

import { isatty } from 'node:tty'
import { pino } from 'pino'
import pretty from 'pino-pretty'
import { terminalSafe } from './terminal-safe.ts'

export type Logger = pino.Logger

export function createLogger(options: { level: string; name: string }): Logger {
  const { level, name } = options
  // Not process.stdout.isTTY: in a worker thread that is never set.
  const destination = isatty(1) ? readable(1) : pino.destination({ fd: 1, sync: true })
  return pino({ level, name, timestamp: pino.stdTimeFunctions.isoTime }, destination)
}

/** Readable lines, in which nothing that others wrote moves the cursor. */
export function readable(destination: number | NodeJS.WritableStream): pino.DestinationStream {
  const options = { colorize: true, ignore: 'pid,hostname', singleLine: true, sync: true }
  const lines = pretty({ ...options, destination })
  return { write: (line) => void lines.write(terminalSafe(line)) }
}
