// The node_modules of a copy of the project, made of links instead of an installation. Our own packages are
// those of the copy, as npm links them.

import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'

const installed = resolve(import.meta.dirname, '../../node_modules')
const OURS = '@slipstream'

/** @param without - what is not installed there. */
export function linkPackages(modules: string, without: readonly string[] = []): void {
  mkdirSync(modules)
  const left = [OURS, '.slipstream-installed', '.slipstream-installed-to-run', ...without]
  for (const name of readdirSync(installed).filter((entry) => !left.includes(entry)))
    symlinkSync(join(installed, name), join(modules, name))
  // An empty folder ends Node's search: without it, one in a folder above would be found.
  for (const name of without) mkdirSync(join(modules, name))
  if (without.includes(OURS)) return
  cpSync(join(installed, OURS), join(modules, OURS), { recursive: true, verbatimSymlinks: true })
}
