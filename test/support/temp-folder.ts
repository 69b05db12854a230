// Collects all temporary files of a test run in one folder that is removed with the run, since a run used to
// leave thousands behind. The folder is world-writable, because some tests run programs as another user.

import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'slipstream-tests-'))
  chmodSync(folder, 0o1777)
  process.env['TMPDIR'] = folder
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}
