// Before all tests and benches: the server that they start runs from its bundle, as an operator's does.

import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

export default function bundle(): void {
  const root = join(import.meta.dirname, '../..')
  execFileSync(process.execPath, [join(root, 'scripts/bundle-server.ts')], { stdio: 'inherit' })
}
