// npm run core-alone [-- TESTS]: runs the core's tests in a copy of the tree without src/features and test/features.
// Without arguments, those of the core's rooms.

import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readArguments } from '../src/tools/cli/script-usage.ts'

const root = join(import.meta.dirname, '..')
const COPIED = ['src', 'packages', 'test', 'lexicons', 'scripts', 'docs', 'deploy', 'bin']
const ROOMS = ['base', 'bridge', 'data', 'sources', 'ingest', 'answers', 'http', 'tools']
const OURS = '@slipstream'
const WITHOUT = [
  ['src', 'features'],
  ['test', 'features'],
  ['test', 'core-alone.test.ts'],
].map((parts) => join(root, ...parts))

/** @returns the copy's folder, for the caller to remove */
export function makeCoreAlone(): string {
  const folder = mkdtempSync(join(tmpdir(), 'slipstream-core-'))
  const isKept = (path: string) => !WITHOUT.includes(path) && !path.endsWith('node_modules')
  for (const name of COPIED) {
    cpSync(join(root, name), join(folder, name), { recursive: true, filter: isKept })
  }
  for (const name of readdirSync(root).filter((one) => /\.(json|ts|md|example)$/.test(one))) {
    cpSync(join(root, name), join(folder, name))
  }
  linkModules(folder)
  return folder
}

/** Links to what is installed; our own packages are the copy's. */
function linkModules(folder: string): void {
  const [from, to] = [join(root, 'node_modules'), join(folder, 'node_modules')]
  mkdirSync(to)
  for (const name of readdirSync(from).filter((one) => one !== OURS)) {
    symlinkSync(join(from, name), join(to, name))
  }
  cpSync(join(from, OURS), join(to, OURS), { recursive: true, verbatimSymlinks: true })
}

const USAGE = `npm run core-alone [-- TEST ...]

Runs the core's tests, or those named, in a copy of the tree without src/features and
test/features, as vitest run does.`

function wantedTests(args: string[]): string[] {
  const unknown = args.find((one) => !existsSync(join(root, one)))
  if (unknown !== undefined) throw new Error(`${unknown} does not exist`)
  return args
}

if (import.meta.main) {
  const asked = readArguments(USAGE, wantedTests)
  const folder = makeCoreAlone()
  const tests = asked.length > 0 ? asked : ROOMS.map((name) => `test/${name}`)
  const vitest = join(folder, 'node_modules/.bin/vitest')
  const { status } = spawnSync(vitest, ['run', ...tests], { cwd: folder, stdio: 'inherit' })
  rmSync(folder, { recursive: true, force: true })
  process.exitCode = status ?? 1
}
