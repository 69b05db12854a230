// A machine made of files for the install script: everything that the script asks of a real one (packages,
// accounts, services) is a stand-in that logs its calls. Only the files that the script writes and the points
// where it stops are real.

import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

export const project = resolve(import.meta.dirname, '../..')
/** The id of the account that stands in for those that the script creates, if accounts are real. */
export const NOBODY = 65_534

export type BareMachine = {
  base: string
  /** Returns the real path of a path on the machine. */
  at(path: string): string
  text(path: string): string
  files(): string[]
  diary(): string
  forget(): void
  standIn(name: string, script: string): void
  environment: { PATH: string }
  install(...args: string[]): { status: number | null; stdout: string; stderr: string }
}

/** @param accounts - `real` needs root: commands of the script's accounts then run as nobody */
export function makeBareMachine({ accounts }: { accounts: 'pretended' | 'real' }): BareMachine {
  const base = mkdtempSync(join(tmpdir(), 'slipstream-install-'))
  chmodSync(base, 0o755)
  const at = (path: string) => join(base, 'machine', path)
  const environment = { PATH: `${join(base, 'bin')}:/usr/bin:/bin` }
  const machine: BareMachine = {
    base,
    at,
    environment,
    text: (path) => readFileSync(at(path), 'utf8'),
    files: () => readdirSync(at(''), { recursive: true, encoding: 'utf8' }).sort(),
    diary: () => readFileSync(join(base, 'diary'), 'utf8'),
    forget: () => writeFileSync(join(base, 'diary'), ''),
    standIn: (name, script) => write(join(base, 'bin', name), script, 0o755),
    install: (...args) => {
      const script = join(base, 'sources/deploy/install.sh')
      return spawnSync('bash', [script, '--root', at(''), ...args], {
        encoding: 'utf8',
        env: environment,
        // Given a socket, bash believes it runs under a remote shell and reads the user's own
        // files.
        stdio: ['ignore', 'pipe', 'pipe'],
      })
    },
  }
  write(at('etc/os-release'), 'ID=debian\nVERSION_ID="12"\n')
  mkdirSync(at('var/lib'), { recursive: true })
  write(join(base, 'diary'), '', 0o666)
  makeSources(base)
  makeNode(base)
  const scripts = { ...standIns(base), ...(accounts === 'real' && nobodyForAll()) }
  for (const [name, script] of Object.entries(scripts))
    machine.standIn(name, `#!/bin/sh\necho "${name} $*" >>'${base}/diary'\n${script}\n`)
  return machine
}

export function write(path: string, content: string, mode = 0o644): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
  chmodSync(path, mode)
}

/** Copies the real deploy/, and as little of the rest as possible. */
function makeSources(base: string): void {
  const sources = join(base, 'sources')
  const real = ['deploy', 'package.json', 'package-lock.json']
  for (const name of [
    ...real,
    'scripts/setup.sh',
    'scripts/drop-other-machines.ts',
    'scripts/bundle-server.ts',
  ])
    cpSync(join(project, name), join(sources, name), { recursive: true })
  const pages = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md']
  for (const name of [...pages, 'CODE_OF_CONDUCT.md', 'LICENSE']) write(join(sources, name), name)
  for (const name of ['docs', 'lexicons', 'packages', 'scripts', 'src'])
    write(join(sources, name, 'file'), name)
}

/**
 * Creates the Node that npm installs: it logs its user, fakes the health of the service, and really
 * checks settings. The file `unhealthy` makes all versions so, or that whose src/file has its text.
 */
function makeNode(base: string): void {
  const message = `echo "node as $(/usr/bin/id -u): $1 $2 $3" >>'${base}/diary'`
  const running = `'${base}/machine/opt/slipstream/current/src/file'`
  const requested = `case "$1 $2" in
    --version*) echo v24.21.0;;
    -e*) [ ! -e '${base}/unhealthy' ] || { [ -s '${base}/unhealthy' ] && ! cmp -s '${base}/unhealthy' ${running}; };;
    *'main.ts config') exec '${process.execPath}' '${project}/src/tools/cli/main.ts' config check;;
  esac`
  write(join(base, 'node-24'), `#!/bin/sh\n${message}\n${requested}\n`, 0o755)
}

function standIns(base: string): Record<string, string> {
  const has = (file: string) => `[ -e '${base}/${file}' ]`
  return {
    id: `[ "$1" = -u ] && { echo 0; exit; }; ${has('account')}`,
    useradd: `touch '${base}/account'`,
    chown: '',
    sleep: '',
    node: `${has('packages')} || exit 127
      case "$1" in --version) echo v18.19.0;; *) exec '${process.execPath}' "$@";; esac`,
    'dpkg-query': `${has('packages')} && printf installed`,
    'apt-get': `case "$*" in *install*) touch '${base}/packages';; esac`,
    runuser: 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"',
    npm: `${has('packages')} || exit 127
      [ "$1" != ci ] || {
        mkdir -p node_modules/.bin
        cp '${base}/node-24' node_modules/.bin/node
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

function nobodyForAll(): Record<string, string> {
  const user = `--reuid=${NOBODY} --regid=${NOBODY} --clear-groups`
  const named = `s/slipstream(-packages)?:slipstream(-packages)?/${NOBODY}:${NOBODY}/; s/:slipstream/:${NOBODY}/`
  return {
    runuser: `while [ "$1" != -- ]; do shift; done; shift; exec setpriv ${user} "$@"`,
    chown: `for one in "$@"; do
        set -- "$@" "$(echo "$one" | sed -E '${named}')"; shift
      done
      exec /usr/bin/chown "$@"`,
  }
}
