// A command where the data folder is none: it finds no server there, and none that was cut off.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runCli } from '../../support/cli.ts'

let base: string
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'slipstream-no-folder-'))
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

test.each(['missing', 'file', 'file/below'])('in %s', async (path) => {
  writeFileSync(join(base, 'file'), '')
  const { code, stderr } = await runCli({ DATA_DIR: join(base, path) }, ['stats'])
  expect(stderr).toMatch(/There is no database in .*\n {2}Set SLIPSTREAM_DATA_DIR/)
  expect(code).toBe(78)
})
