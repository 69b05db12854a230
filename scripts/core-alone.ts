// npm run core-alone [-- TESTS]: runs the core's tests in a copy of the tree without src/features and test/features.
// Without arguments, those of the core's rooms.

import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readArguments } from '../src/tools/script-usage.ts'
import { linkPackages } from '../test/support/linked-packages.ts'

const root = join(import.meta.dirname, '..')
const COPIED = ['src', 'packages', 'test', 'lexicons', 'scripts', 'docs', 'deploy', 'bin']
const ROOMS = ['base', 'data', 'sources', 'ingest', 'answers', 'http', 'tools']
const WITHOUT = [
  ['src', 'features'],
  ['test', 'features'],
  ['test', 'core-alone.test.ts'],
].map((parts) => join(root, ...parts))

/** @returns the copy's folder, for the caller to remove */
export function makeCoreAlone(): string {
  const folder = mkdtempSync(join(tmpdir(), 'slipstream-core-'))
  const isStored = (path: string) => !WITHOUT.includes(path) && !path.endsWith('node_modules')
  for (const name of COPIED) {
    cpSync(join(root, name), join(folder, name), { recursive: true, filter: isStored })
  }
  for (const name of readdirSync(root).filter((entry) => /\.(json|ts|md|example)$/.test(entry))) {
    cpSync(join(root, name), join(folder, name))
  }
  linkPackages(join(folder, 'node_modules'))
  return folder
}

const USAGE = `npm run core-alone [-- TEST ...]

Runs the core's tests, or those named, in a copy of the tree without src/features and
test/features, as vitest run does.`

function wantedTests(args: string[]): string[] {
  const unknown = args.find((arg) => !existsSync(join(root, arg)))
  if (unknown !== undefined) throw new Error(`${unknown} does not exist`)
  return args
}

if (import.meta.main) {
  const requested = readArguments(USAGE, wantedTests)
  const folder = makeCoreAlone()
  const tests = requested.length > 0 ? requested : ROOMS.map((name) => `test/${name}`)
  const vitest = join(folder, 'node_modules/.bin/vitest')
  const { status } = spawnSync(vitest, ['run', ...tests], { cwd: folder, stdio: 'inherit' })
  rmSync(folder, { recursive: true, force: true })
  process.exitCode = status ?? 1
}
