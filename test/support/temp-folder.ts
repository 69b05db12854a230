// What tests write to the machine's folder for temporary files goes into one folder of the run, which goes with it: a run
// left some thousand behind. Anybody may write there, as some tests run programs as somebody else.

import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'slipstream-tests-'))
  chmodSync(folder, 0o1777)
  process.env['TMPDIR'] = folder
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}
