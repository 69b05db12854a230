// A database of an older schema is copied before it is upgraded, and one of a newer schema is not touched.

import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { beforeEach, expect, test } from 'vitest'
import { ConfigError } from '../../../../src/base/config/config.ts'
import { FILE_NAME, openWriter } from '../../../../src/data/store/db.ts'
import { backUpBeforeUpgrade } from '../../../../src/data/store/files/upgrade-backup.ts'
import { schemaVersion } from '../../../../src/data/store/migrate.ts'
import { sql as firstSchema } from '../../../../src/data/store/migrations/001-025/001-initial.ts'

const DID = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
const COPY = `${FILE_NAME}.before-${String(schemaVersion).padStart(3, '0')}`

let folder: string
const at = (name: string) => join(folder, name)

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipstream-upgrade-'))
})

/** As the first release left it, with one row; `crashed`: the row is still in the log. */
function oldDatabase({ crashed = false } = {}): void {
  const db = new Database(at(FILE_NAME))
  db.pragma('journal_mode = WAL')
  db.exec(firstSchema)
  db.pragma('user_version = 1')
  db.pragma('wal_checkpoint(TRUNCATE)')
  db.prepare('INSERT INTO actors (uid, did, indexed_at) VALUES (1, ?, 0)').run(DID)
  const log = crashed ? readFileSync(at(`${FILE_NAME}-wal`)) : undefined
  const file = crashed ? readFileSync(at(FILE_NAME)) : undefined
  db.close()
  if (!log || !file) return
  writeFileSync(at(FILE_NAME), file)
  writeFileSync(at(`${FILE_NAME}-wal`), log)
}

function read<T>(name: string, sql: string): T {
  const db = new Database(at(name), { readonly: true })
  try {
    return db.prepare(sql).pluck().get() as T
  } finally {
    db.close()
  }
}

test.each([false, true])('an old database is copied, then upgraded (crashed: %s)', (crashed) => {
  oldDatabase({ crashed })
  const reported: object[] = []
  openWriter(folder, { onUpgrade: (upgrade) => reported.push(upgrade) }).close()
  expect(reported).toEqual([{ path: at(COPY), schema: 1, to: schemaVersion }])
  expect(read(COPY, 'PRAGMA user_version')).toBe(1)
  expect(read(COPY, 'SELECT did FROM actors')).toBe(DID)
  expect(read(COPY, 'PRAGMA integrity_check')).toBe('ok')
  expect(read(FILE_NAME, 'PRAGMA user_version')).toBe(schemaVersion)
  expect(read(FILE_NAME, 'SELECT did FROM actors')).toBe(DID)
  expect(readdirSync(folder).filter((name) => name.includes('unfinished'))).toEqual([])
})

test('neither a new nor an up-to-date database is copied', () => {
  openWriter(folder).close()
  openWriter(folder).close()
  expect(readdirSync(folder)).not.toContain(COPY)
})

test('the copy is skipped if the operator says so', () => {
  oldDatabase()
  openWriter(folder, { upgradeBackup: false }).close()
  expect(existsSync(at(COPY))).toBe(false)
  expect(read(FILE_NAME, 'PRAGMA user_version')).toBe(schemaVersion)
})

test('an interrupted upgrade keeps the copy from before it', () => {
  oldDatabase()
  backUpBeforeUpgrade(at(FILE_NAME), schemaVersion)
  const half = new Database(at(FILE_NAME))
  half.exec("UPDATE actors SET handle = 'half.upgraded'")
  half.pragma('user_version = 2')
  half.close()
  expect(backUpBeforeUpgrade(at(FILE_NAME), schemaVersion)).toEqual({ path: at(COPY), schema: 2 })
  expect(read(COPY, 'PRAGMA user_version')).toBe(1)
})

test('a database that was restored and changed is copied again', () => {
  oldDatabase()
  backUpBeforeUpgrade(at(FILE_NAME), schemaVersion)
  const restored = new Database(at(FILE_NAME))
  restored.exec("UPDATE actors SET handle = 'restored.test'")
  restored.close()
  backUpBeforeUpgrade(at(FILE_NAME), schemaVersion)
  expect(read(COPY, 'SELECT handle FROM actors')).toBe('restored.test')
})

test('only the copy of the last upgrade stays', () => {
  oldDatabase()
  writeFileSync(at(`${FILE_NAME}.before-001`), 'from long ago')
  openWriter(folder).close()
  expect(readdirSync(folder).filter((name) => name.includes('before'))).toEqual([COPY])
})

test('a database that another program reads from is refused rather than half copied', () => {
  oldDatabase({ crashed: true })
  const reader = new Database(at(FILE_NAME))
  reader.exec('BEGIN; SELECT * FROM actors')
  try {
    const writer = new Database(at(FILE_NAME))
    writer.exec("UPDATE actors SET handle = 'later.test'")
    expect(() => backUpBeforeUpgrade(at(FILE_NAME), schemaVersion)).toThrow(ConfigError)
    writer.close()
  } finally {
    reader.close()
  }
})

test('a newer database is refused, named, and not touched', () => {
  openWriter(folder).close()
  const db = new Database(at(FILE_NAME))
  db.pragma(`user_version = ${schemaVersion + 5}`)
  db.close()
  const before = readFileSync(at(FILE_NAME))
  const refusal = catchError(() => openWriter(folder))
  expect(refusal).toBeInstanceOf(ConfigError)
  expect(refusal.message).toContain(`schema ${schemaVersion + 5}`)
  expect(readFileSync(at(FILE_NAME)).equals(before)).toBe(true)
})

function catchError(act: () => unknown): Error {
  try {
    act()
  } catch (error) {
    return error as Error
  }
  throw new Error('no error was thrown')
}
