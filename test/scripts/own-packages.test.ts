// The packages of packages/, as others get them: each is built, packed, and unpacked below the node_modules of
// an empty folder, where the example of its README compiles against its types and prints what the page says. With
// TEST_RUNTIMES=yes, also in Bun and Deno, which npm brings.

import { execFile, execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { workspaces } from '../../scripts/build-workspace.ts'
import { createJetstreamDouble } from '../support/jetstream-double/double.ts'
import { emitOnce } from '../support/jetstream-double/emit-once.ts'
import { fenceOf, installPackage, manifestOf } from '../support/own-packages.ts'
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

const RUNTIMES = { bun: 'bun@1.4.5', deno: 'deno@2.9.6' }
const folderOf = (name: string) => join(base, 'empty', name)

/** Examples may read one post from the stream that they are named. */
async function run(name: string, command: readonly string[] = [process.execPath]): Promise<string> {
  const [program, ...args] = command as [string, ...string[]]
  const child = promisify(execFile)(program, [...args, 'example.ts', stream.url], {
    cwd: folderOf(name),
    timeout: MAX_WAIT_MS,
  })
  const stop = emitOnce(stream)
  try {
    return (await child).stdout
  } finally {
    stop()
  }
}

describe.each(workspaces())('%s', (name) => {
  test('its example, in an empty folder, compiles and prints what the page says', async () => {
    const folder = folderOf(name)
    mkdirSync(folder, { recursive: true })
    installPackage(name, { modules: join(folder, 'node_modules'), base })
    for (const [file, from] of Object.entries(FILES))
      copyFileSync(join(root, from), join(folder, file))
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG))
    writeFileSync(join(folder, 'example.ts'), fenceOf(name, 'ts'))
    execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', folder], { stdio: 'pipe' })
    expect(await run(name)).toBe(fenceOf(name, 'text'))
  })

  test('is one page, tells its changes, and has the version that the project asks for', () => {
    const page = (file: string) => readFileSync(join(root, 'packages', name, file), 'utf8')
    expect(page('README.md').split(/\s+/).length).toBeLessThan(800)
    const { name: fullName, version } = manifestOf(name)
    expect(page('CHANGELOG.md')).toContain(`\n## ${version}\n`)
    const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>
    }
    expect(dependencies[fullName]).toBe(version)
  })

  test('may be published as it is built', () => {
    const built = join(base, 'built', name, 'package.json')
    expect(JSON.parse(readFileSync(built, 'utf8'))).not.toHaveProperty('private')
  })
})

describe.skipIf(process.env['TEST_RUNTIMES'] === undefined)('elsewhere', () => {
  const runtimes = join(base, 'runtimes')
  const bin = (name: string) => join(runtimes, 'node_modules/.bin', name)
  beforeAll(() => {
    const flags = ['--no-save', '--ignore-scripts=false', '--prefix', runtimes]
    execFileSync('npm', ['install', ...flags, ...Object.values(RUNTIMES)])
  })

  test.each(workspaces())('the example of %s prints the same in Bun', async (name) => {
    expect(await run(name, [bin('bun'), 'run'])).toBe(fenceOf(name, 'text'))
  })

  test.each(workspaces())('the example of %s prints the same in Deno', async (name) => {
    expect(await run(name, [bin('deno'), 'run', '--allow-all'])).toBe(fenceOf(name, 'text'))
  })
})

if (process.env['TEST_RUNTIMES'] === undefined)
  console.warn('NOT RUN: the packages in Bun and Deno, without TEST_RUNTIMES=yes')
