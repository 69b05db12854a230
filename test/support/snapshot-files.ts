// The files of memory's snapshots, for tests that damage them.

import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Paths, sorted; `name` is that of one snapshot, such as "graph". */
export function snapshotFiles(dataDir: string, name: string = '[a-z]+'): string[] {
  const pattern = new RegExp(`^slipstream\\.${name}-[0-9]+\\.snapshot$`)
  return readdirSync(dataDir)
    .filter((file) => pattern.test(file))
    .sort()
    .map((file) => join(dataDir, file))
}
