// The first start of a checkout: where nothing is set and somebody sits at a terminal, it asks the two questions that
// matter and writes .env, which is there whole or not at all. Whoever stops at a question has changed nothing.

import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createInterface, type Interface } from 'node:readline/promises'
import { ConfigError, isUnattended, settingSources } from '../../../base/config/config.ts'
import { findInstallation } from '../../../base/util/installation.ts'
import { CliError, EXIT } from '../../fail.ts'
import { HOST, MEMBERS, NAMES, type Question, settingLines } from './questions.ts'

const PRIVATE_MODE = 0o600

/** Does nothing unless there is somebody to ask. @throws CliError if they leave the questions */
export async function askFirst(file = '.env'): Promise<void> {
  if (!isFirst(file) || !isAttended()) return
  const lines = settingLines(await answers())
  writeComplete(file, lines)
  process.stdout.write(
    `\n${file} is written:\n${lines.map((line) => `  ${line}`).join('\n')}\nChange it there; docs/SETTINGS.md has everything else.\n\n`,
  )
}

function isFirst(file: string): boolean {
  return findInstallation() === 'checkout' && !existsSync(file) && settingSources().size === 0
}

function isAttended(): boolean {
  return Boolean(process.stdin.isTTY && process.stdout.isTTY) && !isUnattended()
}

async function answers() {
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  const left = new AbortController()
  terminal.once('SIGINT', () => left.abort())
  terminal.once('close', () => left.abort())
  try {
    const members = await ask(terminal, MEMBERS, left.signal)
    const names = NAMES[members]
    const named = names ? await ask(terminal, names, left.signal) : ''
    return { members, named, host: await ask(terminal, HOST, left.signal) }
  } catch (error) {
    if (!left.signal.aborted) throw error
    process.stdout.write('\n')
    throw new CliError(
      'Nothing was written and nothing was started.',
      'Set SLIPSTREAM_MEMBERS and SLIPSTREAM_HOSTNAME in .env, or begin again with scripts/start.',
      EXIT.interrupted,
    )
  } finally {
    terminal.close()
  }
}

/** Asks until the answer fits. */
async function ask<T>(
  terminal: Interface,
  { text, prompt, read }: Question<T>,
  signal: AbortSignal,
): Promise<T> {
  process.stdout.write(text)
  for (;;) {
    const found = read((await terminal.question(prompt, { signal })).trim())
    if ('answer' in found) return found.answer
    process.stdout.write(`${found.wrong}\n`)
  }
}

function writeComplete(file: string, lines: string[]): void {
  const unfinished = `${file}.new`
  try {
    writeFileSync(unfinished, `${lines.join('\n')}\n`, { mode: PRIVATE_MODE })
    renameSync(unfinished, file)
  } catch (error) {
    rmSync(unfinished, { force: true })
    throw new ConfigError(
      `${file} could not be written: ${(error as Error).message}.`,
      'Make this folder writable, or set SLIPSTREAM_MEMBERS and SLIPSTREAM_HOSTNAME in the environment.',
    )
  }
}
