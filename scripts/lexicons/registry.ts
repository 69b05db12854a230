// Packages that publish lexicons, by npm's own client, which knows its registry. Nothing of a package is run.

import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'

export type Registry = {
  /** The newest version published under the default tag. */
  newest(name: string): string
  /** Unpacks a version below `folder`. @returns the package's own folder */
  unpack(name: string, version: string, folder: string): string
}

/** @param npm - the client's command; errors are its own */
export function npmRegistry(npm = 'npm'): Registry {
  const run = (args: string[], cwd?: string) =>
    execFileSync(npm, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim()
  return {
    newest: (name) => run(['view', name, 'version']),
    unpack(name, version, folder) {
      const into = join(folder, `${name}@${version}`)
      mkdirSync(into, { recursive: true })
      const archive = run(['pack', `${name}@${version}`, '--silent'], into)
        .split('\n')
        .at(-1)!
      execFileSync('tar', ['xzf', archive], { cwd: into })
      return join(into, 'package')
    },
  }
}
