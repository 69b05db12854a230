// The install script with real privileges, which needs root. Steps as Slipstream's account run as nobody, and
// that account has planted links in its folder. Root's files behind the links are neither read nor written,
// and root runs no fetched code.

import {
  chmodSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type BareMachine, makeBareMachine, NOBODY, write } from '../support/bare-machine.ts'

let machine: BareMachine
const data = (path = '') => machine.at(join('var/lib/slipstream', path))
const secret = () => join(machine.base, 'root/secret')
const treasure = () => join(machine.base, 'root')

describe.runIf(process.getuid?.() === 0)('with links in the account’s folder', () => {
  beforeEach(() => {
    machine = makeBareMachine({ accounts: 'real' })
    expect(machine.install('--hostname', 'appview.example.org')).toMatchObject({ status: 0 })
    write(secret(), 'root’s own', 0o600)
    plant(() => writeFileSync(data('slipstream.sqlite'), 'rows'))
    write(join(machine.base, 'sources/src/file'), 'newer')
    machine.forget()
  })
  afterEach(() => {
    rmSync(machine.base, { recursive: true, force: true })
  })

  /** Files made in the data folder belong to the account. */
  function plant(make: () => void): void {
    make()
    for (const name of ['.', 'slipstream.sqlite', 'backups'])
      if (lstatSync(data(name), { throwIfNoEntry: false })) lchownSync(data(name), NOBODY, NOBODY)
  }

  function expectUntouched(): void {
    expect(readFileSync(secret(), 'utf8')).toBe('root’s own')
    expect(readdirSync(treasure())).toEqual(['secret'])
    expect(statSync(secret())).toMatchObject({ uid: 0, mode: 0o100600 })
    expect(statSync(treasure()).uid).toBe(0)
  }

  test('without any, the copy belongs to the account, and the release to root', () => {
    expect(machine.install().status).toBe(0)
    const copy = statSync(data('backups/before-upgrade.sqlite'))
    expect([copy.uid, copy.mode & 0o777]).toEqual([NOBODY, 0o600])
    const releases = machine.at('opt/slipstream/releases')
    for (const name of readdirSync(releases, { recursive: true, encoding: 'utf8' })) {
      const { uid, mode } = lstatSync(join(releases, name))
      expect([name, uid, mode & 0o7022 & (mode >= 0o120000 ? 0 : 0o7777)]).toEqual([name, 0, 0])
    }
  })

  test('root runs none of the code that npm fetched', () => {
    expect(machine.install().status).toBe(0)
    const runs = machine.diary().match(/^node as \d+: .*$/gm)!
    expect(runs.some((line) => line.includes('-e'))).toBe(true)
    expect(runs.filter((line) => !line.startsWith(`node as ${NOBODY}: `))).toEqual([])
  })

  const links: [string, () => void][] = [
    ['the database', () => link('slipstream.sqlite', secret())],
    ['its log', () => link('slipstream.sqlite-wal', secret())],
    ['the folder of copies', () => link('backups', treasure())],
    ['the copy that is being made', () => link('backups/before-upgrade.unfinished', secret())],
    ['the copy', () => link('backups/before-upgrade.sqlite', secret())],
    ['the log’s copy', () => link('backups/before-upgrade.sqlite-wal', secret())],
  ]
  test.each(links)(
    '%s: no file is copied, and the running version keeps running',
    (_what, make) => {
      const before = readlinkSync(machine.at('opt/slipstream/current'))
      plant(make)
      const { status, stderr } = machine.install()
      expect([status, stderr]).toEqual([1, expect.stringContaining('is a symbolic link')])
      expect(readlinkSync(machine.at('opt/slipstream/current'))).toBe(before)
      expect(existsSync(join(machine.base, 'active'))).toBe(true)
      expectUntouched()
    },
  )

  function link(name: string, to: string): void {
    if (name.startsWith('backups/')) mkdirSync(data('backups'), { recursive: true })
    rmSync(data(name), { force: true })
    symlinkSync(to, data(name))
  }

  test('one left by the new version before it fails is not written through', () => {
    writeFileSync(join(machine.base, 'unhealthy'), 'newer')
    const change = `rm -f '${data('slipstream.sqlite')}'; ln -s '${secret()}' '${data('slipstream.sqlite')}'`
    const systemctl = readFileSync(join(machine.base, 'bin/systemctl'), 'utf8')
    machine.standIn('systemctl', `${systemctl}\n[ "$1" != start ] || { ${change}; }\n`)
    const { status, stderr } = machine.install()
    expect([status, stderr]).toEqual([1, expect.stringContaining('the previous one runs again')])
    expectUntouched()
  })

  test('a folder that only the account can enter is no obstacle', () => {
    chmodSync(data(), 0o700)
    expect(machine.install().status).toBe(0)
    expect(readFileSync(data('backups/before-upgrade.sqlite'), 'utf8')).toBe('rows')
  })
})
