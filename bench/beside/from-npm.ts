// Packages that a benchmark compares with, installed for the run in a folder of their own: the project needs none of
// them, and some must be compiled. Skipped where npm can't.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

type FromNpm = {
  require: NodeJS.Require
  import(name: string): Promise<Record<string, unknown>>
  dispose(): void
}

/** @param packages - name@version. @returns undefined if npm can't bring them. */
export function fromNpm(...packages: string[]): FromNpm | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'slipstream-beside-'))
  const dispose = () => rmSync(folder, { recursive: true, force: true })
  try {
    execFileSync('npm', ['install', '--no-save', '--prefix', folder, ...packages], {
      stdio: 'ignore',
    })
  } catch {
    dispose()
    return undefined
  }
  const require = createRequire(join(folder, 'index.js'))
  return {
    require,
    import: (name) => import(pathToFileURL(require.resolve(name)).href),
    dispose,
  }
}
