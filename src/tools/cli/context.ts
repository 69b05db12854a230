// Shared by all commands: the settings, loaded when first needed, and the caller's files. The launcher changes
// to the project's root, where .env and ./data are, and the installed one to an account that may not enter
// the caller's folders: it opens a file before, as standard input, and says which one it is.

import { accessSync, constants } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { type Config, loadConfig } from '../../base/config/config.ts'
import { accountName } from '../../base/util/file-access.ts'
import { CliError, EXIT } from '../fail.ts'

export type CliContext = {
  config(): Config
  /** Resolves a path from the caller's directory. */
  path(file: string): string
  /** The path, or standard input for `-` and for an opened file that we may not open ourselves. */
  input(file: string): string | number
  /** Who runs the command, by name: the installed one switches to the service's account. */
  caller(): string
}

type Launched = { cwd?: string; opened?: string; caller?: string }

const STDIN = 0

export function contextOf(program: Command): CliContext {
  const path = (file: string) => {
    // An unset variable in a script would otherwise name the folder itself.
    if (file.trim() === '')
      throw new CliError('The path is empty.', 'Name a file or folder.', EXIT.usage)
    return resolve(program.opts<Launched>().cwd ?? '.', file)
  }
  return {
    config: () => loadConfig(),
    path,
    caller: () => program.opts<Launched>().caller || accountName(),
    input(file) {
      if (file === '-') return STDIN
      return program.opts<Launched>().opened === file && !mayRead(path(file)) ? STDIN : path(file)
    },
  }
}

function mayRead(path: string): boolean {
  try {
    accessSync(path, constants.R_OK)
    return true
  } catch {
    return false
  }
}
