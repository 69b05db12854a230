// Compose itself reads the compose files: every command of it that a page or the doctor shows must get past
// the file, with the settings that the page asks for and no others.

import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readPages, root } from '../support/documentation.ts'

const compose = [['docker', 'compose'], ['docker-compose']].find(
  ([file, ...rest]) => spawnSync(file!, [...rest, 'version']).status === 0,
)
if (!compose) {
  console.warn('Docker Compose is missing (Debian: docker-compose): its files are not read here')
}

let base: string
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'slipstream-compose-'))
  cpSync(join(root, 'deploy'), join(base, 'deploy'), { recursive: true })
  // Compose 1 (Debian 12) does not know the project's name.
  for (const name of ['compose.yaml', 'compose.cluster.yaml']) {
    const path = join(base, 'deploy', name)
    writeFileSync(path, readFileSync(path, 'utf8').replace(/^name: .*$/m, ''))
  }
  const example = readFileSync(join(root, 'deploy/slipstream.env.example'), 'utf8')
  const settings = example.replace(/^SLIPSTREAM_HOSTNAME=$/m, 'SLIPSTREAM_HOSTNAME=a.example.org')
  writeFileSync(join(base, 'deploy/slipstream.env'), settings)
})
afterAll(() => rmSync(base, { recursive: true, force: true }))

/** Compose resolves the files and stops: no engine is needed. */
function resolveFiles(options: readonly string[]) {
  const [file, ...rest] = compose!
  return spawnSync(file!, [...rest, ...options, 'config'], {
    cwd: base,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] },
  })
}

/** What stands between `docker compose` and the subcommand, of every command shown. */
function presentedOptions(): string[] {
  const pages = readPages().filter(({ path }) => path !== 'CHANGELOG.md')
  const sources = ['cures.ts', 'settings.ts'].map((name) => {
    return { path: name, text: readFileSync(join(root, 'src/tools/doctor', name), 'utf8') }
  })
  const lines = [...pages, ...sources].flatMap(({ path, text }) =>
    [...text.matchAll(/docker compose((?: -{1,2}[a-z-]+ [^\s`']+)*)/g)].map(([, options]) => {
      return { path, options: options!.trim() }
    }),
  )
  const elsewhere = lines.filter(({ options }) => !options.includes('-f deploy/'))
  expect(elsewhere, 'docker compose without its file').toEqual([])
  return [...new Set(lines.map(({ options }) => options))]
}

test.runIf(compose)('every command that is shown gets past the compose file', () => {
  const visible = presentedOptions()
  expect(visible).toContain('-f deploy/compose.yaml')
  for (const options of visible) {
    const { status, stderr } = resolveFiles(options.split(' '))
    expect([options, status, stderr]).toEqual([options, 0, expect.not.stringContaining('error')])
  }
})

test.runIf(compose).each(['compose.yaml', 'compose.cluster.yaml'])(
  'Caddy of %s gets the host name from the settings file',
  (name) => {
    const { stdout } = resolveFiles(['-f', `deploy/${name}`])
    const caddy = /^ {2}caddy:\n((?: {4}.*\n)+)/m.exec(stdout)![1]
    expect(caddy).toMatch(/SLIPSTREAM_HOSTNAME: a\.example\.org/)
  },
)
