// Scripts print their usage: on --help, and below an error message, without a stack trace.

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const EXIT_USAGE = 64

function call(script: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, script), ...args], {
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

describe.each([
  ['scripts/torture.ts', ['--seeds', 'many'], '--seeds must be a whole number'],
  ['scripts/torture.ts', ['--kinds', 'kill,flood'], '--kinds: there is no flood'],
  ['scripts/simulate.ts', ['--accounts', '1'], '--accounts must be a number from 10'],
  ['scripts/simulate.ts', ['--readers', 'some'], '--readers must be a number'],
  ['scripts/demo.ts', ['--rate', 'fast'], '--rate must be a number'],
  ['scripts/member-state.ts', ['--from', 'here'], "Unknown option '--from'"],
  ['scripts/screenshots.ts', ['--page', '/'], "Unknown option '--page'"],
  ['scripts/measure-client.ts', ['--fast'], "Unknown option '--fast'"],
  ['scripts/core-alone.ts', ['test/nowhere'], 'test/nowhere does not exist'],
  ['scripts/house.ts', ['/nowhere'], '/nowhere is no checkout'],
  ['bench/main.ts', ['--fast'], "Unknown option '--fast'"],
  ['bench/compare/serving.ts', [], 'Name the tree'],
  ['bench/compare/answers.ts', [], 'Name the tree'],
])('%s %j', (script, args, wrong) => {
  test('is answered with the error and the usage', () => {
    const { status, stderr } = call(script, ...args)
    expect(status).toBe(EXIT_USAGE)
    expect(stderr).toContain(wrong)
    expect(stderr).not.toMatch(/^ {4}at /m)
    const help = call(script, '--help')
    expect(help.status).toBe(0)
    expect(help.stdout.length).toBeGreaterThan(40)
    expect(stderr).toContain(help.stdout.trim())
  })
})
