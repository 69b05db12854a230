// The core without its features: in a copy of the tree from which src/features and test/features were deleted, the
// sources compile and tests of the core's rooms pass. The rooms are those that take a minute or two; the whole suite of
// the core runs there by `npm run core-alone`.

import { execFile } from 'node:child_process'
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeCoreAlone } from '../scripts/core-alone.ts'

const ROOMS = [
  'test/base',
  'test/answers/skeleton',
  'test/http/server',
  // A whole process.
  'test/http/serve/stream-health.test.ts',
  'test/wiring.test.ts',
]
let folder: string

beforeAll(() => {
  folder = makeCoreAlone()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function run(command: string, args: readonly string[]): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    execFile(command, args, { cwd: folder, maxBuffer: 64 << 20 }, (error, stdout, stderr) =>
      resolve({ code: error ? 1 : 0, output: stdout + stderr }),
    )
  })
}

test('its sources compile', async () => {
  const { code, output } = await run('node_modules/.bin/tsc', [
    '-p',
    'tsconfig.package.json',
    '--noEmit',
  ])
  expect([code, output]).toEqual([0, ''])
})

test('its tests pass', async () => {
  const { code, output } = await run('node_modules/.bin/vitest', [
    'run',
    '--maxWorkers',
    '1',
    ...ROOMS,
  ])
  expect(output).toMatch(/Test Files .*passed/)
  expect([code, /FAIL .*/.exec(output)?.[0]]).toEqual([0, undefined])
})
