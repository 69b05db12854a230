// An empty database in a test's folder, as a copy of one that this process has migrated: every test made its own
// through all migrations before, which took twenty times as long.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FILE_NAME, openWriter, type WriteDb } from '../../src/data/store/db.ts'

let migrated: Buffer | undefined

/** @throws where the folder has a database already */
export function openEmpty(dataDir: string): WriteDb {
  migrated ??= readMigrated()
  writeFileSync(join(dataDir, FILE_NAME), migrated, { flag: 'wx' })
  return openWriter(dataDir)
}

function readMigrated(): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'slipstream-migrated-'))
  openWriter(folder).close()
  const file = readFileSync(join(folder, FILE_NAME))
  rmSync(folder, { recursive: true })
  return file
}
