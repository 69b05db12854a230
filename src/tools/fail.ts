// Ends a process that can't go on: prints what is wrong and what to do about it, and sets an exit code for
// the kind of error, as in sysexits.h.

import { ConfigError } from '../base/config/config.ts'
import { storeTrouble } from '../data/store/files/trouble.ts'

/** Cases that a script may want to tell apart. */
export const EXIT = {
  /** The subject was not found, or the action was not done. */
  failed: 1,
  /** Invalid command line. */
  usage: 64,
  /** The server is unreachable, or can't do it now. */
  unavailable: 69,
  /** A broken invariant, or anything else unexpected. */
  software: 70,
  /** The disk is full or fails, or the database is damaged. */
  io: 74,
  /** An operator's mistake. */
  config: 78,
  /** Ctrl-C. */
  interrupted: 130,
} as const

/** A command's failure, with a hint on what to do about it. */
export class CliError extends Error {
  override name = 'CliError'
  readonly hint: string
  readonly exitCode: number
  constructor(message: string, hint: string, exitCode: number = EXIT.failed) {
    super(message)
    this.hint = hint
    this.exitCode = exitCode
  }
}

export function fail(error: unknown): never {
  const { text, exitCode } = explain(error)
  process.stderr.write(`slipstream: ${text}\n`)
  process.exit(exitCode)
}

function explain(error: unknown): { text: string; exitCode: number } {
  if (error instanceof ConfigError || error instanceof CliError) {
    const exitCode = error instanceof CliError ? error.exitCode : EXIT.config
    return { text: `${error.message}\n  ${error.hint}`, exitCode }
  }
  const trouble = storeTrouble(error)
  if (trouble) return { text: `${trouble.message}\n  ${trouble.hint}`, exitCode: EXIT.io }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return { text, exitCode: EXIT.software }
}
