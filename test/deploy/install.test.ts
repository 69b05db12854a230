// The install script on a simulated bare machine (test/support/bare-machine.ts).

import { execFileSync, spawnSync } from 'node:child_process'
import {
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { loadConfig } from '../../src/base/config/config.ts'
import { type BareMachine, makeBareMachine, project, write } from '../support/bare-machine.ts'

const HOST = 'appview.example.org'

let machine: BareMachine
let base: string
beforeEach(() => {
  machine = makeBareMachine({ accounts: 'pretended' })
  ;({ base } = machine)
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

const at = (path: string) => machine.at(path)
const text = (path: string) => machine.text(path)
const diary = () => machine.diary()
const filesOfMachine = () => machine.files()
const install = (...args: string[]) => machine.install(...args)

function current(): string {
  return basename(readlinkSync(at('opt/slipstream/current')))
}

describe('a bare machine', () => {
  test('gets packages, an account, settings, a unit, Caddy and a running service', () => {
    const { status, stderr } = install('--hostname', HOST)
    expect([status, stderr]).toEqual([0, expect.stringMatching(/^slipstream: installing .*\n$/)])
    expect(diary()).toMatch(/apt-get install .*ca-certificates nodejs npm caddy/)
    expect(diary()).toMatch(/useradd --system .* slipstream\n/)
    expect(diary()).toMatch(/npm ci --ignore-scripts\n[\s\S]*npm ci --ignore-scripts --omit=dev\n/)
    expect(text('etc/systemd/system/slipstream.service')).toBe(
      readFileSync(join(project, 'deploy/systemd/slipstream.service'), 'utf8'),
    )
    expect(text('opt/slipstream/current/src/file')).toBe('src')
    expect(text('etc/caddy/Caddyfile')).toContain('import /etc/caddy/slipstream.caddy')
    expect(text('etc/caddy/slipstream.caddy')).toContain(`${HOST} {`)
    expect(text('etc/caddy/slipstream.caddy')).toContain('reverse_proxy 127.0.0.1:3000 {')
    expect(text('etc/caddy/slipstream.caddy')).not.toContain('$SLIPSTREAM')
    expect(diary()).toMatch(/systemctl enable slipstream\n[\s\S]*systemctl start slipstream/)
  })

  test('has settings that load, readable only by root and the service', () => {
    install('--hostname', HOST, '--members', 'did:web:a.example,b.example')
    const path = 'etc/slipstream/slipstream.env'
    const config = loadConfig({}, at(path))
    expect(config).toMatchObject({
      serviceDid: `did:web:${HOST}`,
      members: ['did:web:a.example', 'b.example'],
    })
    expect(config.operatorToken).toMatch(/^[0-9a-f]{64}$/)
    expect(statSync(at(path)).mode & 0o777).toBe(0o640)
    expect(diary()).toContain(`chown root:slipstream ${at(path)}`)
  })

  test('without Caddy has none', () => {
    expect(install('--hostname', HOST, '--no-caddy').status).toBe(0)
    expect(diary()).not.toMatch(/caddy/)
    expect(existsSync(at('etc/caddy'))).toBe(false)
  })

  test('is unchanged by a dry run, which prints its steps', () => {
    const before = filesOfMachine()
    const { status, stdout } = install('--hostname', HOST, '--dry-run')
    expect(status).toBe(0)
    expect(filesOfMachine()).toEqual(before)
    expect(stdout).toMatch(/would run: apt-get update/)
    expect(stdout).toMatch(/would write: .*slipstream\.env/)
    expect(diary()).not.toMatch(/^(apt-get|useradd|npm|chown|systemctl (start|stop|enable))/m)
  })
})

describe('run again', () => {
  test('it changes nothing', () => {
    install('--hostname', HOST)
    const files = filesOfMachine().map((name) => [name, statSync(at(name)).mtimeMs])
    machine.forget()
    const { status, stdout } = install()
    expect(status).toBe(0)
    expect(stdout).toContain('is already running')
    expect(filesOfMachine().map((name) => [name, statSync(at(name)).mtimeMs])).toEqual(files)
    expect(diary()).not.toMatch(/^(apt-get|useradd|npm ci|systemctl (start|stop|reload))/m)
  })

  test('it fetches all packages again if requested', () => {
    install('--hostname', HOST)
    const before = current()
    expect(install('--reinstall').status).toBe(0)
    expect(current()).not.toBe(before)
    expect(diary().match(/npm ci --ignore-scripts --omit=dev/g)).toHaveLength(2)
  })

  test('it keeps the operator’s changes in the settings and in Caddy’s own file', () => {
    install('--hostname', HOST)
    writeFileSync(at('etc/slipstream/slipstream.env'), 'SLIPSTREAM_HOSTNAME=mine.example\n')
    writeFileSync(at('etc/caddy/Caddyfile'), `mine\n${text('etc/caddy/Caddyfile')}`)
    expect(install('--hostname', 'mine.example').status).toBe(0)
    expect(text('etc/slipstream/slipstream.env')).toBe('SLIPSTREAM_HOSTNAME=mine.example\n')
    expect(text('etc/caddy/Caddyfile').match(/import .*slipstream/g)).toHaveLength(1)
    expect(text('etc/caddy/slipstream.caddy')).toContain('mine.example {')
  })
})

describe('settings that the operator wrote', () => {
  const settings = 'etc/slipstream/slipstream.env'

  test('are read as systemd reads them: quotes, spaces, and line ends of Windows', () => {
    install('--hostname', HOST)
    writeFileSync(
      at(settings),
      `SLIPSTREAM_HOSTNAME="${HOST}"\r\nSLIPSTREAM_MEMBERS=invite, alice.example.org\r\n`,
    )
    const { status, stderr } = install('--reinstall')
    expect([status, stderr]).toEqual([0, expect.not.stringContaining('not found')])
    expect(text('etc/caddy/slipstream.caddy')).toMatch(new RegExp(`^${HOST} {`, 'm'))
  })

  test('with a line that systemd would pass over stop nothing, and the line is named', () => {
    install('--hostname', HOST)
    machine.forget()
    writeFileSync(at(settings), `SLIPSTREAM_HOSTNAME=${HOST}\nSLIPSTREAM_MEMBERS: invite\n`)
    const { status, stderr } = install()
    expect(status).toBe(1)
    expect(stderr).toContain('has a line that sets nothing, line 2.')
    expect(stderr).toContain(`Correct ${at(settings)}`)
    expect(diary()).not.toContain('systemctl stop')
  })
})

describe('a wrong answer is corrected by running it again', () => {
  const settings = 'etc/slipstream/slipstream.env'

  test('options that are given are written into the settings, and start the service anew', () => {
    install('--hostname', HOST)
    machine.forget()
    const { status, stdout } = install('--members', 'invite,alice.example.org')
    expect([status, stdout]).toEqual([
      0,
      expect.stringContaining('(it was SLIPSTREAM_MEMBERS=invite)'),
    ])
    expect(text(settings)).toMatch(/^SLIPSTREAM_MEMBERS=invite,alice\.example\.org$/m)
    expect(text(settings)).toMatch(/^SLIPSTREAM_OPERATOR_TOKEN=[0-9a-f]{64}$/m)
    expect(diary()).toMatch(/systemctl stop slipstream[\s\S]*systemctl start slipstream/)
  })

  test('a host name too, for Slipstream and for Caddy, until there is a database', () => {
    install('--hostname', 'wrong.example.org')
    expect(install('--hostname', HOST).status).toBe(0)
    expect(text(settings)).toContain(`SLIPSTREAM_HOSTNAME=${HOST}\n`)
    expect(text('etc/caddy/slipstream.caddy')).toContain(`${HOST} {`)
    write(at('var/lib/slipstream/slipstream.sqlite'), 'rows')
    const { status, stderr } = install('--hostname', 'other.example.org')
    expect([status, stderr]).toEqual([1, expect.stringContaining(`This server is ${HOST}`)])
    expect(text(settings)).toContain(`SLIPSTREAM_HOSTNAME=${HOST}\n`)
    expect(text('etc/caddy/slipstream.caddy')).toContain(`${HOST} {`)
  })

  test('a first start that failed is not called “the previous one”', () => {
    writeFileSync(join(base, 'unhealthy'), '')
    expect(install('--hostname', HOST).stderr).toContain('Slipstream did not start.')
    const { status, stderr } = install()
    expect([status, stderr]).toEqual([1, expect.stringContaining('Slipstream did not start.')])
    expect(stderr).not.toMatch(/previous|before/)
  })

  test('settings with which it does not start are put back', () => {
    install('--hostname', HOST)
    const before = text(settings)
    writeFileSync(join(base, 'unhealthy'), '')
    const { status, stderr } = install('--members', 'open')
    expect([status, stderr]).toEqual([1, expect.stringContaining('does not answer either')])
    expect(text(settings)).toBe(before)
  })

  test('settings that Slipstream refuses are not written', () => {
    const { status, stderr } = install('--hostname', HOST, '--members', 'open,invite')
    expect([status, stderr]).toEqual([
      1,
      expect.stringContaining('SLIPSTREAM_MEMBERS is "open,invite"'),
    ])
    expect(existsSync(at(settings))).toBe(false)
    expect(stderr).toContain('nothing was stopped or started')
    expect(stderr).not.toMatch(/before|change \S*slipstream\.env/)
    expect(diary()).not.toMatch(/systemctl start/)
    expect(install('--hostname', HOST, '--members', 'open').status).toBe(0)
  })
})

describe('an upgrade', () => {
  let before: string

  beforeEach(() => {
    install('--hostname', HOST)
    before = current()
    write(at('var/lib/slipstream/slipstream.sqlite'), 'old rows')
    write(at('var/lib/slipstream/slipstream.sqlite-wal'), 'newer rows')
    write(join(base, 'sources/src/file'), 'newer')
    machine.forget()
  })

  test('stops, copies the database, starts the new version and keeps the previous one', () => {
    expect(install().status).toBe(0)
    expect(current()).not.toBe(before)
    expect(text('opt/slipstream/current/src/file')).toBe('newer')
    expect(text('var/lib/slipstream/backups/before-upgrade.sqlite')).toBe('old rows')
    expect(readdirSync(at('opt/slipstream/releases')).sort()).toEqual([before, current()].sort())
    expect(diary()).toMatch(
      /npm ci[\s\S]*systemctl stop slipstream[\s\S]*systemctl start slipstream/,
    )
  })

  test('that fails to start is undone, including its database', () => {
    writeFileSync(join(base, 'unhealthy'), 'newer')
    // The new version changed the database before it failed.
    const systemctl = join(base, 'bin/systemctl')
    const change = `[ "$1" != start ] || echo new >'${at('var/lib/slipstream/slipstream.sqlite')}'`
    writeFileSync(
      systemctl,
      `${readFileSync(systemctl, 'utf8')}\n[ -e '${base}/once' ] || { touch '${base}/once'; ${change}; }\n`,
    )
    const { status, stderr } = install()
    expect(status).toBe(1)
    expect(stderr).toContain('the previous one runs again')
    expect(current()).toBe(before)
    expect(text('var/lib/slipstream/slipstream.sqlite')).toBe('old rows')
    expect(text('var/lib/slipstream/slipstream.sqlite-wal')).toBe('newer rows')
    expect(existsSync(join(base, 'active'))).toBe(true)
  })

  test('after which nothing answers says so', () => {
    writeFileSync(join(base, 'unhealthy'), '')
    const { status, stderr } = install()
    expect([status, stderr]).toEqual([1, expect.stringContaining('does not answer either')])
    expect(stderr).not.toContain('runs again')
    expect(current()).toBe(before)
  })

  test('is not begun with settings that the new version refuses', () => {
    writeFileSync(
      at('etc/slipstream/slipstream.env'),
      `SLIPSTREAM_HOSTNAME=${HOST}\nSLIPSTREAM_MEMBER=x\n`,
    )
    const { status, stderr } = install()
    expect([status, stderr]).toEqual([1, expect.stringContaining('is not a setting of Slipstream')])
    expect(stderr).toContain('nothing was stopped or started')
    expect(diary()).not.toMatch(/systemctl stop/)
  })

  test('shows the log of this start only', () => {
    writeFileSync(join(base, 'unhealthy'), 'newer')
    install()
    expect(diary()).toMatch(/journalctl -u slipstream --since @\d+ /)
  })

  test('without room for the copy leaves the running version running', () => {
    machine.standIn('df', '#!/bin/sh\necho Avail\necho 100\n')
    const { status, stderr } = install()
    expect([status, stderr]).toEqual([1, expect.stringContaining('--no-backup')])
    expect(current()).toBe(before)
    expect(existsSync(join(base, 'active'))).toBe(true)
    expect(install('--no-backup').status).toBe(0)
    expect(current()).not.toBe(before)
  })

  test('that fails to fetch packages does not affect the running version', () => {
    machine.standIn('npm', '#!/bin/sh\n[ "$1" = --version ]\n')
    expect(install().status).not.toBe(0)
    expect(current()).toBe(before)
    expect(diary()).not.toMatch(/systemctl stop/)
  })
})

describe('which accounts may read', () => {
  const members = () => loadConfig({}, at('etc/slipstream/slipstream.env')).members

  test('without a terminal: holders of an invite code', () => {
    const { stdout } = install('--hostname', HOST, '--yes')
    expect(text('etc/slipstream/slipstream.env')).toContain('SLIPSTREAM_MEMBERS=invite\n')
    expect(stdout).toContain('slipstream invite create')
  })

  const answers: [string, string, string][] = [
    ['invited people, the operator without a code', '\n@me.example\n', 'invite,me.example'],
    ['invited people only', '1\n\n', 'invite'],
    [
      'named accounts, after an invalid entry',
      'x\n2\na;b\nalice\na.example, b.example\n',
      'a.example,b.example',
    ],
    ['anyone', '3\n', 'open'],
  ]
  test.runIf(hasTerminal()).each(answers)('asked on a terminal: %s', (_who, typed, expected) => {
    expect(installOnTerminal(typed, '--hostname', HOST)).toBe(0)
    expect(text('etc/slipstream/slipstream.env')).toContain(`SLIPSTREAM_MEMBERS=${expected}\n`)
    expect(members()).toBeDefined()
  })

  test.runIf(hasTerminal())('is asked once: an upgrade keeps it', () => {
    installOnTerminal('3\n', '--hostname', HOST)
    expect(installOnTerminal('')).toBe(0)
    expect(text('etc/slipstream/slipstream.env')).toContain('SLIPSTREAM_MEMBERS=open\n')
  })

  function installOnTerminal(typed: string, ...args: string[]): number | null {
    const script = join(base, 'sources/deploy/install.sh')
    const line = ['bash', script, '--root', at(''), ...args].join(' ')
    const { environment: env } = machine
    return spawnSync('script', ['-qec', line, '/dev/null'], { input: typed, env }).status
  }

  function hasTerminal(): boolean {
    return spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0
  }
})

test('the doctor’s report is printed at the end, and never fails the installation', () => {
  const node = join(base, 'node-24')
  write(node, readFileSync(node, 'utf8').replace('  esac', '*doctor) exit 1;; esac'), 0o755)
  const { status, stdout } = install('--hostname', HOST)
  expect([status, stdout]).toEqual([0, expect.stringContaining('slipstream doctor checks again')])
  expect(diary()).toMatch(/node as \d+: src\/tools\/cli\/main\.ts doctor/)
  machine.forget()
  install('--no-doctor')
  expect(diary()).not.toContain('main.ts doctor')
})

describe('mistakes', () => {
  const wrong: [string, string[], RegExp][] = [
    ['no host name', [], /host name is missing/],
    ['a URL as host name', ['--hostname', 'https://a.example'], /is not a public host name/],
    ['a shell command as host name', ['--hostname', 'a;reboot'], /is not a public host name/],
    [
      'a shell command as members',
      ['--hostname', HOST, '--members', '$(x)'],
      /that DIDs and handles do not/,
    ],
    [
      'a name without its domain as member',
      ['--hostname', HOST, '--members', 'alice'],
      /alice is neither a handle, such as alice\.bsky\.social, nor a DID/,
    ],
    ['localhost as host name', ['--hostname', 'localhost'], /is not a public host name/],
    ['an address as host name', ['--hostname', '192.0.2.1'], /is not a public host name/],
    ['an unknown option', ['--hots', HOST], /is not an option/],
    ['an option without its value', ['--hostname'], /needs a value/],
  ]
  test.each(wrong)('%s is refused before anything is done', (_what, args, message) => {
    const before = filesOfMachine()
    const { status, stderr } = install(...args)
    expect([status, stderr]).toEqual([1, expect.stringMatching(message)])
    expect(filesOfMachine()).toEqual(before)
  })

  test('another system is refused', () => {
    write(at('etc/os-release'), 'ID=fedora\n')
    expect(install('--hostname', HOST).stderr).toContain('neither Debian nor Ubuntu')
  })
})

test.runIf(hasShellcheck())('shellcheck finds nothing', () => {
  execFileSync('shellcheck', ['-x', 'deploy/install.sh', 'deploy/install/command'], {
    cwd: project,
  })
})

function hasShellcheck(): boolean {
  if (spawnSync('shellcheck', ['--version']).status === 0) return true
  console.warn('shellcheck is not here: the install script is run, but not looked at')
  return false
}
