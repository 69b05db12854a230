// An empty database in a test's folder, copied from one that this process has migrated. Running all
// migrations for every test took twenty times as long.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FILE_NAME, openWriter, type WriteDb } from '../../src/data/store/db.ts'

let migrated: Buffer | undefined

/** @throws Error if the folder already has a database */
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
