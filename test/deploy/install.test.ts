// The install script on a machine of files: everything that it would ask of a real one (packages,
// accounts, services) is a stand-in that keeps a diary; what it writes and when it stops are its own.

import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { loadConfig } from '../../src/config.ts'

const project = resolve(import.meta.dirname, '../..')
const HOST = 'appview.example.org'

let base: string
const at = (path: string) => join(base, 'machine', path)
const text = (path: string) => readFileSync(at(path), 'utf8')
const diary = () => readFileSync(join(base, 'diary'), 'utf8')

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'slipstream-install-'))
  write(at('etc/os-release'), 'ID=debian\nVERSION_ID="12"\n')
  mkdirSync(at('var/lib'), { recursive: true })
  makeSources()
  writeFileSync(join(base, 'diary'), '')
  for (const [name, script] of Object.entries(standIns())) {
    write(join(base, 'bin', name), `#!/bin/sh\necho "${name} $*" >>'${base}/diary'\n${script}\n`)
    chmodSync(join(base, 'bin', name), 0o755)
  }
})

function write(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}

/** The real deploy/, and as little as possible of the rest. */
function makeSources(): void {
  const sources = join(base, 'sources')
  cpSync(join(project, 'deploy'), join(sources, 'deploy'), { recursive: true })
  cpSync(join(project, 'package.json'), join(sources, 'package.json'))
  for (const name of ['package-lock.json', 'README.md', 'CHANGELOG.md', 'CONTRIBUTING.md'])
    write(join(sources, name), name)
  for (const name of ['docs', 'lexicons', 'scripts', 'src'])
    write(join(sources, name, 'file'), name)
}

function standIns(): Record<string, string> {
  const has = (file: string) => `[ -e '${base}/${file}' ]`
  return {
    id: `[ "$1" = -u ] && { echo 0; exit; }; ${has('account')}`,
    useradd: `touch '${base}/account'`,
    chown: '',
    sleep: '',
    node: '[ "$1" = --version ] && echo v18.19.0',
    'dpkg-query': `${has('packages')} && printf installed`,
    'apt-get': `case "$*" in *install*) touch '${base}/packages';; esac`,
    runuser: 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"',
    npm: `[ "$1" != ci ] || {
      mkdir -p node_modules/.bin
      printf '#!/bin/sh\\n[ ! -e "${base}/unhealthy" ]\\n' >node_modules/.bin/node
      chmod +x node_modules/.bin/node
    }`,
    systemctl: `case "$1" in
      start) touch '${base}/active';;
      stop) rm -f '${base}/active';;
      is-active) ${has('active')};;
      is-failed) ${has('unhealthy')};;
    esac`,
    journalctl: '',
    caddy: `${has('bad-caddy')} && exit 1 || true`,
  }
}

function install(...args: string[]) {
  const script = join(base, 'sources/deploy/install.sh')
  const { status, stdout, stderr } = spawnSync('bash', [script, '--root', at(''), ...args], {
    encoding: 'utf8',
    env: { PATH: `${join(base, 'bin')}:/usr/bin:/bin` },
  })
  return { status, stdout, stderr }
}

function current(): string {
  return basename(readlinkSync(at('opt/slipstream/current')))
}

function filesOfMachine(): string[] {
  return readdirSync(at(''), { recursive: true, encoding: 'utf8' }).sort()
}

describe('a bare machine', () => {
  test('gets packages, an account, settings, a unit, Caddy and a running service', () => {
    const { status, stderr } = install('--hostname', HOST)
    expect([status, stderr]).toEqual([0, ''])
    expect(diary()).toMatch(/apt-get install .*ca-certificates nodejs npm caddy/)
    expect(diary()).toContain('useradd --system')
    expect(diary()).toContain('npm ci --omit=dev --ignore-scripts')
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

  test('has settings that load, which only root and the service can read', () => {
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

  test('is left as it was by a dry run, which says what it would do', () => {
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
    writeFileSync(join(base, 'diary'), '')
    const { status, stdout } = install()
    expect(status).toBe(0)
    expect(stdout).toContain('runs already')
    expect(filesOfMachine().map((name) => [name, statSync(at(name)).mtimeMs])).toEqual(files)
    expect(diary()).not.toMatch(/^(apt-get|useradd|npm|systemctl (start|stop|reload))/m)
  })

  test('it keeps what the operator changed in the settings and in Caddy’s own file', () => {
    install('--hostname', HOST)
    writeFileSync(at('etc/slipstream/slipstream.env'), 'SLIPSTREAM_HOSTNAME=mine.example\n')
    writeFileSync(at('etc/caddy/Caddyfile'), `mine\n${text('etc/caddy/Caddyfile')}`)
    expect(install('--hostname', 'mine.example').status).toBe(0)
    expect(text('etc/slipstream/slipstream.env')).toBe('SLIPSTREAM_HOSTNAME=mine.example\n')
    expect(text('etc/caddy/Caddyfile').match(/import .*slipstream/g)).toHaveLength(1)
    expect(text('etc/caddy/slipstream.caddy')).toContain('mine.example {')
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
    writeFileSync(join(base, 'diary'), '')
  })

  test('stops, copies the database, starts the new version and keeps the one before', () => {
    expect(install().status).toBe(0)
    expect(current()).not.toBe(before)
    expect(text('opt/slipstream/current/src/file')).toBe('newer')
    expect(text('var/lib/slipstream/backups/before-upgrade.sqlite')).toBe('old rows')
    expect(readdirSync(at('opt/slipstream/releases')).sort()).toEqual([before, current()].sort())
    expect(diary()).toMatch(
      /npm ci[\s\S]*systemctl stop slipstream[\s\S]*systemctl start slipstream/,
    )
  })

  test('that does not come up is undone, its database too', () => {
    writeFileSync(join(base, 'unhealthy'), '')
    // The new version has changed the database before it failed.
    const systemctl = join(base, 'bin/systemctl')
    const change = `[ "$1" != start ] || echo new >'${at('var/lib/slipstream/slipstream.sqlite')}'`
    writeFileSync(
      systemctl,
      `${readFileSync(systemctl, 'utf8')}\n[ -e '${base}/once' ] || { touch '${base}/once'; ${change}; }\n`,
    )
    const { status, stderr } = install()
    expect(status).toBe(1)
    expect(stderr).toContain('the one before runs again')
    expect(current()).toBe(before)
    expect(text('var/lib/slipstream/slipstream.sqlite')).toBe('old rows')
    expect(text('var/lib/slipstream/slipstream.sqlite-wal')).toBe('newer rows')
    expect(existsSync(join(base, 'active'))).toBe(true)
  })

  test('without room for the copy leaves what runs running', () => {
    write(join(base, 'bin/df'), '#!/bin/sh\necho Avail\necho 100\n')
    chmodSync(join(base, 'bin/df'), 0o755)
    const { status, stderr } = install()
    expect([status, stderr]).toEqual([1, expect.stringContaining('--no-backup')])
    expect(current()).toBe(before)
    expect(existsSync(join(base, 'active'))).toBe(true)
    expect(install('--no-backup').status).toBe(0)
    expect(current()).not.toBe(before)
  })

  test('that fails while packages are fetched touches nothing that runs', () => {
    const npm = join(base, 'bin/npm')
    writeFileSync(npm, '#!/bin/sh\nexit 1\n')
    expect(install().status).not.toBe(0)
    expect(current()).toBe(before)
    expect(diary()).not.toMatch(/systemctl stop/)
  })
})

describe('mistakes', () => {
  const wrong: [string, string[], RegExp][] = [
    ['no host name', [], /host name is missing/],
    ['a URL as host name', ['--hostname', 'https://a.example'], /is no host name/],
    ['something to be run as host name', ['--hostname', 'a;reboot'], /is no host name/],
    ['something to be run as members', ['--hostname', HOST, '--members', '$(x)'], /neither DIDs/],
    ['an unknown option', ['--hots', HOST], /is no option/],
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
  execFileSync('shellcheck', [join(project, 'deploy/install.sh')])
})

function hasShellcheck(): boolean {
  if (spawnSync('shellcheck', ['--version']).status === 0) return true
  console.warn('shellcheck is not here: the install script is run, but not looked at')
  return false
}
