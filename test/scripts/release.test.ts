// scripts/release, in a repository of its own: it packs the last commit, with a matching checksum, notes, and a
// signature where there is a key.

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
  write('CHANGELOG.md', '# Changes\n\n## Unreleased\n\n## 1.2.3\n\n- New.\n\n## 1.2.30\n\n- Old.\n')
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

function release(env = {}): { status: number | null; stderr: string } {
  return spawnSync(join(repository(), 'scripts/release'), [join(base, 'out')], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
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

test('the notes are what the changelog says of that version', () => {
  release()
  expect(readFileSync(join(base, 'out/slipstream-1.2.3.md'), 'utf8').trim()).toBe('- New.')
})

const hasSsh = spawnSync('ssh-keygen', ['-?']).error === undefined
if (!hasSsh) console.warn('no ssh-keygen here: signatures of releases are NOT tested')

test.skipIf(!hasSsh)('with a key, each file has a signature that holds for it alone', () => {
  const key = join(base, 'key')
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key])
  expect(release({ RELEASE_KEY: key })).toMatchObject({ status: 0, stderr: '' })
  const [kind, code] = readFileSync(`${key}.pub`, 'utf8').split(' ')
  const signers = join(base, 'signers')
  writeFileSync(signers, `a@example.org ${kind} ${code}\n`)
  const verify = (input: Buffer) => {
    const signature = `${archive()}.sig`
    const args = [
      '-Y',
      'verify',
      '-f',
      signers,
      '-I',
      'a@example.org',
      '-n',
      'slipstream',
      '-s',
      signature,
    ]
    return spawnSync('ssh-keygen', args, { input }).status
  }
  const bytes = readFileSync(archive())
  expect(verify(bytes)).toBe(0)
  expect(verify(Buffer.concat([bytes, Buffer.from('x')]))).not.toBe(0)

  expect(release({ RELEASE_KEY: `${key}-that-is-not` })).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('did not sign'),
  })
})
