// Shared by all commands: the settings, loaded when first needed, and the caller's working directory, since
// the launcher changes to the project's root, where .env and ./data are.

import { resolve } from 'node:path'
import type { Command } from 'commander'
import { type Config, loadConfig } from '../../base/config/config.ts'

export type CliContext = {
  config(): Config
  /** Resolves a path from the caller's directory. */
  path(file: string): string
}

export function contextOf(program: Command): CliContext {
  return {
    config: () => loadConfig(),
    path: (file) => resolve(program.opts<{ cwd?: string }>().cwd ?? '.', file),
  }
}
