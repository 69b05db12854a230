// The operator's mistakes with tokens of programs.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCli } from '../../support/cli.ts'
import { openEmpty } from '../../support/empty-database.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipstream-tokens-'))
  openEmpty(folder).close()
})
afterAll(() => rmSync(folder, { recursive: true }))

// The empty one is as of a variable that is not set.
test.each(['', '..'])('revoking “%s” says what to do about it', async (name) => {
  const run = await runCli({ DATA_DIR: folder }, ['token', 'revoke', name])
  expect(run.stderr).toMatch(/no such active token.*\n.*token list/)
  expect(run).toMatchObject({ code: 1, stdout: '' })
})
