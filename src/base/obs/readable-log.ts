import type { DestinationStream } from 'pino'
import pretty from 'pino-pretty'
import { terminalSafe } from './terminal-safe.ts'

/** Writes readable lines in which no text from outside can move the cursor. */
export function readable(destination: number | NodeJS.WritableStream): DestinationStream {
  const options = { colorize: true, ignore: 'pid,hostname', singleLine: true, sync: true }
  const lines = pretty({ ...options, destination })
  return { write: (line) => void lines.write(terminalSafe(line)) }
}
