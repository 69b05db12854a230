// The systemd unit: valid, strict, and consistent with how the process exits.

import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { EXIT } from '../../src/tools/fail.ts'

const root = resolve(import.meta.dirname, '../..')
const path = join(root, 'deploy/systemd/slipstream.service')
const unit = readFileSync(path, 'utf8')
const serve = readFileSync(join(root, 'src/tools/cli/serve.ts'), 'utf8')
const MAX_EXPOSURE = 2

function hasAnalyzer(): boolean {
  try {
    execFileSync('systemd-analyze', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    console.warn('systemd-analyze is not here: the unit is only read, not verified')
    return false
  }
}

const isVerifiable = hasAnalyzer()

function value(key: string): string {
  return new RegExp(`^${key}=(.*)$`, 'm').exec(unit)![1]!
}

test('the process has time to drain before it is killed', () => {
  const limit = Number(/STOP_TIMEOUT_MS = (\d+)_000/.exec(serve)![1])
  expect(value('KillSignal')).toBe('SIGTERM')
  expect(value('KillMode')).toBe('mixed')
  expect(Number(value('TimeoutStopSec'))).toBeGreaterThan(limit)
})

test('failures that need an operator are not retried', () => {
  expect(value('RestartPreventExitStatus').split(' ').sort()).toEqual(
    [EXIT.io, EXIT.config].map(String).sort(),
  )
  expect(value('Restart')).toBe('on-failure')
})

test('its memory is limited, and one process reaching the limit does not stop the others', () => {
  expect(value('MemoryMax')).toMatch(/^[1-9]\d%$/)
  expect(value('OOMPolicy')).toBe('continue')
})

test('it starts the same as scripts/start', () => {
  const script = readFileSync(join(root, 'scripts/start'), 'utf8')
  const [, arenas, rest] = /^MALLOC_ARENA_MAX=.*:-(\d+)\}" exec node (.*) "\$@"$/m.exec(script)!
  expect(value('ExecStart')).toBe(`/opt/slipstream/current/node_modules/.bin/node ${rest}`)
  expect(unit).toContain(`MALLOC_ARENA_MAX=${arenas}`)
})

test.runIf(isVerifiable).each(['slipstream.service', 'slipstream-backup.service'])(
  'systemd finds no problems in %s, and its exposure is low',
  (name) => {
    const folder = mkdtempSync(join(tmpdir(), 'slipstream-unit-'))
    const text = readFileSync(join(root, 'deploy/systemd', name), 'utf8')
    // The program is not installed here.
    const present = text.replace(/^ExecStart=\S+/m, 'ExecStart=/bin/true')
    writeFileSync(join(folder, name), present)
    expect(run('verify', '--man=no', join(folder, name))).toBe('')
    const notified = run('security', '--offline=true', '--no-pager', join(folder, name))
    const score = Number(/exposure level for \S+: ([\d.]+)/.exec(notified)![1])
    expect(score).toBeLessThan(MAX_EXPOSURE)
  },
)

test.runIf(isVerifiable)('systemd understands the timer', () => {
  const folder = mkdtempSync(join(tmpdir(), 'slipstream-unit-'))
  for (const name of ['slipstream-backup.timer', 'slipstream-backup.service']) {
    const text = readFileSync(join(root, 'deploy/systemd', name), 'utf8')
    writeFileSync(join(folder, name), text.replace(/^ExecStart=\S+/m, 'ExecStart=/bin/true'))
  }
  expect(run('verify', '--man=no', join(folder, 'slipstream-backup.timer'))).toBe('')
  expect(run('calendar', '*-*-* 03:30')).toContain('Next elapse')
})

test('the nightly copy uses options that the command line has', () => {
  const nightly = readFileSync(join(root, 'deploy/systemd/slipstream-backup.service'), 'utf8')
  const [, ...args] = /^ExecStart=\S+ (src\/tools\/cli\/main\.ts) (.*)$/m.exec(nightly)!
  expect(existsSync(join(root, args[0]!))).toBe(true)
  const known = execFileSync(process.execPath, [join(root, args[0]!), 'backup', '--help'], {
    encoding: 'utf8',
  })
  const requested = args[1]!.match(/--[a-z]+/g) ?? []
  expect(requested.filter((option) => !known.includes(option))).toEqual([])
})

function run(...args: string[]): string {
  return execFileSync('systemd-analyze', args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}
