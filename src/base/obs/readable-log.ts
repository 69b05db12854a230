// The log on a terminal: lines that people read.

import type { DestinationStream } from 'pino'
import pretty from 'pino-pretty'
import { terminalSafe } from './terminal-safe.ts'

/** Readable lines, in which nothing that others wrote moves the cursor. */
export function readable(destination: number | NodeJS.WritableStream): DestinationStream {
  const options = { colorize: true, ignore: 'pid,hostname', singleLine: true, sync: true }
  const lines = pretty({ ...options, destination })
  return { write: (line) => void lines.write(terminalSafe(line)) }
}
