// Backups taken while rows are written, and databases restored from them.

import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { ConfigError } from '../../../../src/base/config/config.ts'
import { FILE_NAME, openWriter, type WriteDb } from '../../../../src/data/store/db.ts'
import { type Backup, backUp } from '../../../../src/data/store/files/backup.ts'
import { restoreBackup } from '../../../../src/data/store/files/restore.ts'
import { schemaVersion } from '../../../../src/data/store/migrate.ts'
import { insertActor } from '../../../../src/data/store/records/actors.ts'
import { didOf } from '../../../support/records.ts'

const START = 3_000
let dataDir: string
let db: WriteDb
let last = 0

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'slipstream-backup-'))
  db = openWriter(dataDir)
  last = 0
  write(START)
})

afterEach(() => {
  db.close()
  rmSync(dataDir, { recursive: true })
})

/** Writes this many accounts in one transaction: a backup has all of them or none. */
function write(count: number): void {
  db.transaction(() => {
    for (let i = 0; i < count; i++) insertActor(db, ++last, didOf(`account ${last}`), 1)
  })()
}

function accountsIn(path: string): number {
  const copy = new Database(path, { readonly: true })
  const count = copy.prepare('SELECT count(*) FROM actors').pluck().get() as number
  copy.close()
  return count
}

function refusal(act: () => unknown): ConfigError {
  try {
    act()
  } catch (error) {
    if (error instanceof ConfigError) return error
    throw error
  }
  throw new Error('expected a ConfigError')
}

it('is a consistent snapshot during writes, and blocks no writer', async () => {
  let written = 0
  const { path, bytes } = await backUp({
    dataDir,
    onProgress: ({ step }) => {
      if (step === 'copying' && written++ < 20) write(100)
    },
  })
  expect(written).toBeGreaterThan(0)
  expect(accountsIn(path)).toBe(START)
  expect(readFileSync(path).length).toBe(bytes)
  expect(readdirSync(join(dataDir, 'backups'))).toEqual([basename(path)])
})

it('keeps the newest, and removes unfinished ones', async () => {
  const into = join(dataDir, 'elsewhere')
  mkdirSync(into)
  let now = Date.UTC(2026, 10, 21)
  const make = (keep?: number): Promise<Backup> => backUp({ dataDir, into, keep, now: () => now })
  await make()
  for (const name of ['slipstream-20260101T000000.000Z.sqlite.partial', 'mine.txt']) {
    writeFileSync(join(into, name), 'something')
  }
  now += 1_000
  await make()
  const third = await make(2)
  expect(third.removed).toEqual(['slipstream-20261121T000000.000Z.sqlite'])
  expect(existsSync(third.path)).toBe(true)
  const fourth = await make(1)
  expect(existsSync(fourth.path)).toBe(true)
  expect(readdirSync(into).sort()).toEqual(['mine.txt', 'slipstream-20261121T000001.002Z.sqlite'])
})

it('refuses an unwritable folder, and leaves nothing behind', async () => {
  await expect(backUp({ dataDir, into: '/dev/null/x' })).rejects.toThrow(/does not exist/)
  expect(existsSync(join(dataDir, 'backups'))).toBe(false)
  writeFileSync(join(dataDir, 'backups'), 'a file')
  await expect(backUp({ dataDir })).rejects.toThrow(/cannot be written/)
})

it('creates only its default folder, not a missing one that was named', async () => {
  const into = join(dataDir, 'bakcups')
  await expect(backUp({ dataDir, into })).rejects.toMatchObject({
    name: 'ConfigError',
    message: expect.stringContaining(`${into} does not exist`),
    hint: expect.stringContaining(`mkdir -p ${into}`),
  })
  expect(existsSync(into)).toBe(false)
  const own = join(dataDir, 'backups')
  expect(existsSync((await backUp({ dataDir, into: own })).path)).toBe(true)
})

it('is discarded if the copy is damaged', async () => {
  db.pragma('wal_checkpoint(TRUNCATE)')
  db.close()
  const file = join(dataDir, FILE_NAME)
  const bytes = readFileSync(file)
  bytes.fill(0xff, 4096 * 20, 4096 * 24)
  writeFileSync(file, bytes)
  await expect(backUp({ dataDir })).rejects.toThrow(/is damaged|malformed/)
  expect(readdirSync(join(dataDir, 'backups'))).toEqual([])
})

it('is restored unchanged, and keeps the previous database with its log', async () => {
  const { path } = await backUp({ dataDir })
  write(7)
  // As after a kill: the log holds changes that the file lacks.
  const left = mkdtempSync(join(tmpdir(), 'slipstream-backup-left-'))
  for (const end of ['', '-wal'])
    copyFileSync(join(dataDir, FILE_NAME + end), join(left, FILE_NAME + end))
  const { keptAs, schema } = restoreBackup({ dataDir: left, from: path })
  expect(schema).toBe(schemaVersion)
  expect(accountsIn(join(left, FILE_NAME))).toBe(START)
  expect(accountsIn(keptAs!)).toBe(START + 7)
  openWriter(left).close()
  rmSync(left, { recursive: true })
})

it('refuses a newer, a torn and a foreign file, and leaves everything unchanged', async () => {
  const { path } = await backUp({ dataDir })
  const [newer, torn, foreign] = ['newer', 'torn', 'foreign'].map((name) => join(dataDir, name))
  copyFileSync(path, newer!)
  const changed = new Database(newer)
  changed.pragma(`user_version = ${schemaVersion + 1}`)
  changed.close()
  copyFileSync(path, torn!)
  truncateSync(torn!, 40_000)
  new Database(foreign).exec('CREATE TABLE other (x)').close()
  const before = readdirSync(dataDir).sort()
  const restore = (from: string) => refusal(() => restoreBackup({ dataDir, from }))
  expect(restore(newer!).message).toMatch(/from a newer Slipstream/)
  expect(restore(newer!).hint).toMatch(/Install the version/)
  expect(restore(torn!).message).toMatch(/torn is damaged/)
  expect(restore(foreign!).message).toMatch(/not a Slipstream backup/)
  expect(restore(join(dataDir, FILE_NAME)).message).toMatch(/in use/)
  expect(readdirSync(dataDir).sort()).toEqual(before)
})
