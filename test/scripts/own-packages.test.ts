// The packages of packages/, as others get them: each is built, packed, and unpacked below the node_modules of
// an empty folder, where the example of its README compiles against its types and prints what the page says.

import { execFile, execFileSync } from 'node:child_process'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, test } from 'vitest'
import { buildWorkspace, workspaces } from '../../scripts/build-workspace.ts'
import { fencesOf } from '../support/documentation.ts'
import { createJetstreamDouble } from '../support/jetstream-double/double.ts'
import { didOf, tidAt } from '../support/jetstream-double/made-up-ids.ts'
import { MAX_WAIT_MS } from '../support/patience.ts'

const root = resolve(import.meta.dirname, '../..')
const base = mkdtempSync(join(tmpdir(), 'slipstream-own-packages-'))
const stream = await createJetstreamDouble()
afterAll(async () => {
  await stream.close()
  rmSync(base, { recursive: true, force: true })
})

/** Files that an example reads. */
const FILES: Record<string, string> = { 'events.zdict': 'test/fixtures/jetstream/v1.zdict' }

const TSCONFIG = {
  compilerOptions: {
    target: 'es2024',
    module: 'nodenext',
    strict: true,
    noEmit: true,
    types: ['node'],
  },
}

type Manifest = { name: string; version: string; dependencies?: Record<string, string> }

function manifestOf(name: string): Manifest {
  return JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8')) as Manifest
}

/** Installs a package and those it needs, as npm would. */
function install(name: string, modules: string): void {
  const { name: fullName, dependencies = {} } = manifestOf(name)
  const built = join(base, 'built', name)
  buildWorkspace(name, built)
  execFileSync('npm', ['pack', '--silent', '--pack-destination', base], { cwd: built })
  const folder = join(modules, fullName)
  mkdirSync(folder, { recursive: true })
  const archive = readdirSync(base).find((one) => one.includes(name) && one.endsWith('.tgz'))!
  execFileSync('tar', ['xzf', join(base, archive), '-C', folder, '--strip-components=1'])
  for (const needed of [...Object.keys(dependencies), '@types/node', 'undici-types'])
    if (needed.startsWith('@slipstream/')) install(needed.split('/')[1]!, modules)
    else link(needed, modules)
}

function link(name: string, modules: string): void {
  mkdirSync(dirname(join(modules, name)), { recursive: true })
  rmSync(join(modules, name), { force: true })
  symlinkSync(join(root, 'node_modules', name), join(modules, name))
}

/** Examples may read one post from the stream that they are named. */
async function run(folder: string): Promise<string> {
  const child = promisify(execFile)(process.execPath, ['example.ts', stream.url], {
    cwd: folder,
    timeout: MAX_WAIT_MS,
  })
  const emitting = setInterval(() => {
    if (stream.openConnections() === 0) return
    clearInterval(emitting)
    emitPost()
  }, 50)
  try {
    return (await child).stdout
  } finally {
    clearInterval(emitting)
  }
}

function emitPost(): void {
  const record = { $type: 'app.bsky.feed.post', text: 'hello', createdAt: '2026-01-01T00:00:00Z' }
  const collection = 'app.bsky.feed.post'
  const rkey = tidAt(1_700_000_000_000_000)
  stream.emit({ did: didOf(1), operation: 'create', collection, rkey, record })
}

describe.each(workspaces())('%s', (name) => {
  const folder = join(base, 'empty', name)
  const path = `packages/${name}/README.md`
  const fences = fencesOf({ path, text: readFileSync(join(root, path), 'utf8') })
  const of = (language: string) => fences.find((one) => one.language === language)!.text

  test('its example, in an empty folder, compiles and prints what the page says', async () => {
    mkdirSync(folder, { recursive: true })
    install(name, join(folder, 'node_modules'))
    for (const [file, from] of Object.entries(FILES))
      copyFileSync(join(root, from), join(folder, file))
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG))
    writeFileSync(join(folder, 'example.ts'), of('ts'))
    execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', folder], { stdio: 'pipe' })
    const printed = await run(folder)
    expect(printed).toBe(of('text'))
  })

  test('is one page, and has the version that the project asks for', () => {
    expect(readFileSync(join(root, path), 'utf8').split(/\s+/).length).toBeLessThan(700)
    const { name: fullName, version } = manifestOf(name)
    const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>
    }
    expect(dependencies[fullName]).toBe(version)
  })
})
