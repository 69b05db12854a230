// What every command has: the settings, read when they are first needed, and where the caller stands,
// since the launcher goes to the project's root, where .env and ./data are.

import { resolve } from 'node:path'
import type { Command } from 'commander'
import { type Config, loadConfig } from '../../base/config/config.ts'

export type CliContext = {
  config(): Config
  /** From where the caller stands. */
  path(file: string): string
}

export function contextOf(program: Command): CliContext {
  return {
    config: () => loadConfig(),
    path: (file) => resolve(program.opts<{ cwd?: string }>().cwd ?? '.', file),
  }
}
