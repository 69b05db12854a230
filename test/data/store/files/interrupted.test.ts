// A process killed while switching a restored backup to its write-ahead log leaves a rollback journal. The
// next process to open it, of either kind, reads the restored rows.

import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Db, FILE_NAME, openReader, openWriter } from '../../../../src/data/store/db.ts'
import { backUp } from '../../../../src/data/store/files/backup.ts'
import { restoreBackup } from '../../../../src/data/store/files/restore.ts'
import { insertActor } from '../../../../src/data/store/records/actors.ts'
import { didOf } from '../../../support/records.ts'

const BACKED_UP = 3_000

let folder: string
let backup: string

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'slipstream-interrupted-'))
  const db = openWriter(folder)
  for (let uid = 1; uid <= BACKED_UP; uid++) insertActor(db, uid, didOf(`account ${uid}`), 1)
  db.close()
  backup = (await backUp({ dataDir: folder })).path
  restoreBackup({ dataDir: folder, from: backup })
})

afterEach(() => rmSync(folder, { recursive: true }))

/**
 * The state after a kill: the file has half of a change, and the journal has the pages from before
 * it.
 */
function killedOnTheWay(path = join(folder, FILE_NAME)): void {
  const working = join(folder, 'working.sqlite')
  copyFileSync(path, working)
  const db = new Database(working)
  db.pragma('cache_size = 5')
  db.exec('BEGIN; DELETE FROM actors')
  copyFileSync(working, path)
  copyFileSync(`${working}-journal`, `${path}-journal`)
  db.close()
  rmSync(working)
}

function accounts(db: Db): unknown {
  try {
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
    return db.prepare('SELECT count(*) FROM actors').pluck().get()
  } finally {
    db.close()
  }
}

it('cannot be opened by a read-only connection', () => {
  killedOnTheWay()
  const db = new Database(join(folder, FILE_NAME), { readonly: true })
  expect(() => db.pragma('user_version')).toThrow(/readonly/)
  db.close()
})

it.each([openWriter, openReader])('%o finds the restored rows', (open) => {
  killedOnTheWay()
  expect(accounts(open(folder))).toBe(BACKED_UP)
  expect(existsSync(join(folder, `${FILE_NAME}-journal`))).toBe(false)
})

it('is not carried over into the next restore', () => {
  const restoring = join(folder, `${FILE_NAME}.restoring`)
  copyFileSync(backup, restoring)
  killedOnTheWay(restoring)
  killedOnTheWay()
  restoreBackup({ dataDir: folder, from: backup })
  expect(accounts(openReader(folder))).toBe(BACKED_UP)
  expect(readdirSync(folder).filter((name) => /journal|restoring/.test(name))).toEqual([])
})
