// scripts/release, in a repository of its own: it packs the last commit, with a matching checksum.

import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
let base: string
const repository = () => join(base, 'repository')
const archive = () => join(base, 'out/slipstream-1.2.3.tar.gz')

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'slipstream-release-'))
  mkdirSync(join(repository(), 'scripts'), { recursive: true })
  cpSync(join(root, 'scripts/release'), join(repository(), 'scripts/release'))
  write('package.json', '{\n  "name": "slipstream",\n  "version": "1.2.3",\n}\n')
  write('CHANGELOG.md', '# Changes\n\n## 1.2.3\n')
  git('init', '-q')
  commit()
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

function write(name: string, text: string): void {
  writeFileSync(join(repository(), name), text)
}

function git(...args: string[]): void {
  const who = ['-c', 'user.name=a', '-c', 'user.email=a@example.org']
  execFileSync('git', [...who, ...args], { cwd: repository() })
}

function commit(): void {
  git('add', '-A')
  git('commit', '-q', '-m', 'one')
}

function release(): { status: number | null; stderr: string } {
  return spawnSync(join(repository(), 'scripts/release'), [join(base, 'out')], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

test('the archive holds the commit, matches its checksum, and is reproducible', () => {
  expect(release()).toMatchObject({ status: 0, stderr: '' })
  const names = execFileSync('tar', ['-tzf', archive()], { encoding: 'utf8' }).trim().split('\n')
  expect(names).toEqual(
    expect.arrayContaining(['slipstream-1.2.3/package.json', 'slipstream-1.2.3/scripts/release']),
  )
  const checked = ['-c', `${archive()}.sha256`]
  expect(spawnSync('sha256sum', checked, { cwd: join(base, 'out') }).status).toBe(0)
  const first = readFileSync(archive())
  release()
  expect(readFileSync(archive()).equals(first)).toBe(true)
})

test('refuses to release uncommitted changes, or a version that the changelog lacks', () => {
  write('stray', '')
  expect(release()).toMatchObject({ status: 1, stderr: expect.stringContaining('not committed') })
  write('CHANGELOG.md', '## Unreleased\n')
  commit()
  expect(release()).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('no section 1.2.3'),
  })
})
