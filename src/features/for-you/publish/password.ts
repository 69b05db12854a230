// The app password of a command, from standard input: others on the machine can read a command line.

import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { say } from '../../../tools/cli/terminal.ts'
import { CliError, EXIT } from '../../../tools/fail.ts'

/** @param question - what the owner agrees to by giving it; shown on a terminal */
export async function askPassword(question: string): Promise<string> {
  const given = await firstLine(question)
  if (given) return given
  throw new CliError(
    'There is no app password.',
    'Type it, or give it on standard input.',
    EXIT.usage,
  )
}

async function firstLine(question: string): Promise<string | undefined> {
  const isTerminal = process.stdin.isTTY
  if (isTerminal) say(question)
  // What is typed is not shown.
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: silent, terminal: isTerminal })
  try {
    for await (const line of lines) return line.trim()
    return undefined
  } finally {
    lines.close()
  }
}
