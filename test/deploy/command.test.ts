// The installed command, run by root while the service's account is nobody: files in folders that the account
// may not enter are read and written as the caller, names are relative to the caller's folder, and what the
// account may not do is said in words. Needs root.

import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { emptyState } from '../../src/ingest/indexing/member-state/document.ts'
import { makeBareMachine, NOBODY, project } from '../support/bare-machine.ts'
import { didOf } from '../support/records.ts'

const alice = didOf('alice')
const isRoot = process.getuid?.() === 0

let base: string
let account: string
const at = (path: string) => join(base, path)

/** The command as the install script writes it, with the folders and the account of this test. */
function installedCommand(): string {
  const machine = makeBareMachine({ accounts: 'pretended' })
  machine.install('--hostname', 'appview.example.org')
  const text = machine.text('usr/local/bin/slipstream')
  rmSync(machine.base, { recursive: true, force: true })
  return text
    .replaceAll(/(?<=[ =])\/(opt|etc|var)\//g, `${base}/$1/`)
    .replace(/--reuid=slipstream --regid=slipstream --init-groups/, account)
}

function run(line: string, input?: string, env: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync('sh', ['-c', line], {
    cwd: at('root'),
    encoding: 'utf8',
    input,
    env: { PATH: `${at('usr/local/bin')}:/usr/bin:/bin`, ...env },
  })
  return { status, stdout, stderr }
}

beforeAll(() => {
  if (!isRoot) return
  base = mkdtempSync(join(tmpdir(), 'slipstream-command-'))
  chmodSync(base, 0o755)
  account = `--reuid=${NOBODY} --regid=${NOBODY} --clear-groups`
  for (const folder of ['usr/local/bin', 'opt/slipstream', 'etc/slipstream', 'var/lib/slipstream'])
    mkdirSync(at(folder), { recursive: true })
  symlinkSync(project, at('opt/slipstream/current'))
  chownSync(at('var/lib/slipstream'), NOBODY, NOBODY)
  mkdirSync(at('root'), { mode: 0o700 })
  writeFileSync(at('etc/slipstream/slipstream.env'), 'SLIPSTREAM_MEMBERS=invite\n')
  writeFileSync(at('usr/local/bin/slipstream'), installedCommand(), { mode: 0o755 })
  // Makes the database.
  run('slipstream member import', JSON.stringify(emptyState(alice)))
})
afterAll(() => {
  if (isRoot) rmSync(base, { recursive: true, force: true })
})

describe.runIf(isRoot)('the installed command', () => {
  test('writes an export into the caller’s folder, for its owner alone', () => {
    expect(run(`slipstream member export ${alice} alice.json`)).toMatchObject({
      status: 0,
      stdout: `The private state of ${alice} is in alice.json.\n`,
    })
    expect(JSON.parse(readFileSync(at('root/alice.json'), 'utf8'))).toMatchObject({ did: alice })
    expect(statSync(at('root/alice.json'))).toMatchObject({ uid: 0, mode: 0o100600 })
    expect(run('slipstream member export did:plc:nobody no.json').status).toBe(1)
    expect(readdirSync(at('root')).filter((name) => name.startsWith('no.'))).toEqual([])
  })

  test.each(['missing/alice.json', '/proc/alice.json', '.'])(
    'says that %s can’t be written',
    (path) => {
      const { status, stderr } = run(`slipstream member export ${alice} ${path}`)
      expect([status, stderr]).toEqual([
        1,
        `slipstream: ${path} cannot be written.\n  Name another file, in a folder that exists and is yours to write to.\n`,
      ])
    },
  )

  test('reads an export and a list of follows from there', () => {
    writeFileSync(at('root/x.json'), JSON.stringify(emptyState(alice)), { mode: 0o600 })
    expect(run('slipstream member import x.json')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining(alice),
    })
    writeFileSync(at('root/follows.csv'), `${alice},${didOf('ben')}\n`, { mode: 0o600 })
    expect(run('slipstream import-follows follows.csv')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('1 lines in'),
    })
  })

  test('reads the settings as systemd does, whatever a shell would make of them', () => {
    const file = at('etc/slipstream/slipstream.env')
    const before = readFileSync(file)
    const changed = () => run('slipstream config --changed').stdout
    writeFileSync(
      file,
      `# who\r\nSLIPSTREAM_MEMBERS=invite, ${alice}\r\n\r\nSLIPSTREAM_HOSTNAME = "a.example.org"\nSLIPSTREAM_VIDEO_SERVICE_URL='https://v.example/$(id)&x'`,
    )
    expect(changed()).toContain(`SLIPSTREAM_MEMBERS=invite,${alice}  from`)
    expect(changed()).toContain('SLIPSTREAM_HOSTNAME=a.example.org  from')
    expect(changed()).toContain('SLIPSTREAM_VIDEO_SERVICE_URL=https://v.example/$(id)&x  from')
    writeFileSync(file, 'SLIPSTREAM_MEMBERS=invite\nexport SLIPSTREAM_PORT=4000\n')
    const { status, stderr } = run('slipstream config')
    expect([status, stderr]).toEqual([
      78,
      `slipstream: ${file} has a line that sets nothing, line 2.\n  Write KEY=VALUE there: systemd passes over anything else.\n`,
    ])
    writeFileSync(file, before)
  })

  test('restores a backup that only root may read', () => {
    expect(run('slipstream backup').status).toBe(0)
    const [name] = readdirSync(at('var/lib/slipstream/backups'))
    writeFileSync(at('root/copy.sqlite'), readFileSync(at(`var/lib/slipstream/backups/${name}`)), {
      mode: 0o600,
    })
    expect(run(`slipstream restore ${at('root/copy.sqlite')}`)).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('Restored'),
    })
    expect(run('slipstream restore - < copy.sqlite').status).toBe(0)
    expect(run('slipstream member list').stdout).toContain(alice)
    // The live database is still known for what it is.
    expect(run(`slipstream restore ${at('var/lib/slipstream/slipstream.sqlite')}`)).toMatchObject({
      status: 78,
      stderr: expect.stringContaining('is a database in use'),
    })
  })

  test('says what its account may not do, and how to allow it', () => {
    const folder = at('mnt')
    mkdirSync(folder, { mode: 0o755 })
    const backup = run(`slipstream backup --into ${folder} --keep 7`)
    expect(backup).toMatchObject({ status: 78, stderr: expect.stringContaining('chown nobody') })
    expect(backup.stderr).toContain('The account nobody may not write to')
    expect(backup.stderr).toMatch(/name a place where it may write\.\n$/)
    chownSync(folder, NOBODY, NOBODY)
    expect(run(`slipstream backup --into ${folder} --keep 7`).status).toBe(0)
    const file = at('root/alice-left.json')
    expect(run(`slipstream member remove ${alice} --file ${file}`)).toMatchObject({
      status: 74,
      stderr: expect.stringContaining('The account nobody may not write to'),
    })
    expect(run('slipstream restore missing.sqlite')).toMatchObject({
      status: 78,
      stderr: expect.stringMatching(/There is no file|may not read/),
    })
  })

  test('notes who decided', () => {
    run(`slipstream moderation hide ${didOf('cora')}`, '', { SUDO_USER: 'alice' })
    run(`slipstream moderation hide ${didOf('dora')}`)
    const { stdout } = run('slipstream moderation list --json')
    const { log } = JSON.parse(stdout) as { log: { by: string }[] }
    expect(log.map(({ by }) => by).sort()).toEqual(['alice', 'root'])
  })
})
