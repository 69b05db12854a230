// The pages of a database under random writes, checkpoints and restarts of its log: a copy that takes over
// only the changed pages stays equal to the database.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { FILE_NAME } from '../../../src/data/store/db.ts'
import {
  type ChangedPages,
  openChangedPages,
} from '../../../src/features/off-site/store/changed-pages.ts'
import { createRandom, type Random } from '../../support/random.ts'

let folder: string
let db: Database.Database

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipstream-pages-'))
  db = new Database(join(folder, FILE_NAME))
  db.pragma('journal_mode = WAL')
  db.pragma('auto_vacuum = INCREMENTAL')
  db.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT); CREATE INDEX i ON t (text)')
})

afterEach(() => {
  db.close()
  rmSync(folder, { recursive: true })
})

/** A copy, brought up to date page by page. */
function createCopy(pages: ChangedPages) {
  let bytes = Buffer.alloc(0)
  const page = Buffer.alloc(pages.pageSize)
  function take(numbers: readonly number[]): void {
    const length = pages.count() * pages.pageSize
    const longer = Buffer.alloc(Math.max(length, bytes.length))
    bytes.copy(longer)
    for (const number of numbers) {
      pages.read(number, page)
      page.copy(longer, (number - 1) * pages.pageSize)
    }
    bytes = longer.subarray(0, length)
  }
  take(Array.from({ length: pages.count() }, (_, i) => i + 1))
  return { take, bytes: () => bytes }
}

const rowsIn = (database: Database.Database) =>
  database.prepare('SELECT * FROM t ORDER BY id').all()

function rowsOfCopy(bytes: Buffer): unknown[] {
  const path = join(folder, 'copy.sqlite')
  writeFileSync(path, bytes)
  const copy = new Database(path)
  try {
    expect(copy.pragma('integrity_check', { simple: true })).toBe('ok')
    return rowsIn(copy)
  } finally {
    copy.close()
    rmSync(path)
  }
}

function change(random: Random): void {
  const id = () => 1 + random.below(400)
  const text = () => 'x'.repeat(random.below(3_000))
  const write = db.prepare('INSERT OR REPLACE INTO t VALUES (?, ?)')
  const acts = [
    () =>
      db.transaction(() =>
        Array.from({ length: 1 + random.below(40) }, () => write.run(id(), text())),
      )(),
    () => db.prepare('DELETE FROM t WHERE id BETWEEN ? AND ?').run(id(), id()),
    () => db.pragma('incremental_vacuum'),
    () => rolledBack(() => write.run(id(), 'y'.repeat(100_000))),
    () => db.pragma('wal_checkpoint(PASSIVE)'),
    () => db.pragma('wal_checkpoint(RESTART)'),
    () => db.pragma('wal_checkpoint(TRUNCATE)'),
  ]
  acts[random.below(acts.length)]!()
}

/** Spills into the log without a commit. */
function rolledBack(work: () => void): void {
  db.pragma('cache_size = 2')
  db.exec('BEGIN')
  work()
  db.exec('ROLLBACK')
}

it('follows every committed change through checkpoints and restarts of the log', () => {
  const random = createRandom(71)
  db.pragma('busy_timeout = 0')
  const pages = openChangedPages(folder)
  const copy = createCopy(pages)
  try {
    for (let round = 0; round < 300; round++) {
      for (let i = random.below(6); i > 0; i--) change(random)
      pages.advance()
      if (random.below(3) === 0) {
        copy.take(pages.take())
        expect(rowsOfCopy(copy.bytes())).toEqual(rowsIn(db))
      }
    }
  } finally {
    pages.close()
  }
})

it('reads one state until it advances, whatever is written and checkpointed meanwhile', () => {
  const insert = db.prepare('INSERT INTO t (text) VALUES (?)')
  for (let i = 0; i < 500; i++) insert.run(`before ${i}`)
  const pages = openChangedPages(folder)
  try {
    const before = rowsIn(db)
    db.prepare("UPDATE t SET text = 'after' || id").run()
    db.pragma('wal_checkpoint(PASSIVE)')
    db.prepare('DELETE FROM t WHERE id > 100').run()
    db.pragma('wal_checkpoint(PASSIVE)')
    expect(rowsOfCopy(createCopy(pages).bytes())).toEqual(before)
  } finally {
    pages.close()
  }
})

it('gives pages back that could not be copied', () => {
  const pages = openChangedPages(folder)
  try {
    db.prepare('INSERT INTO t (text) VALUES (?)').run('one')
    pages.advance()
    const taken = pages.take()
    expect(taken.length).toBeGreaterThan(0)
    expect(pages.changed()).toBe(0)
    pages.giveBack(taken)
    expect(pages.take()).toEqual(taken)
  } finally {
    pages.close()
  }
})

it('leaves the log’s restart possible once it has advanced', () => {
  const pages = openChangedPages(folder)
  try {
    db.prepare('INSERT INTO t (text) VALUES (?)').run('x'.repeat(50_000))
    pages.advance()
    const [{ busy, log, checkpointed }] = db.pragma('wal_checkpoint(PASSIVE)') as [
      { busy: number; log: number; checkpointed: number },
    ]
    expect({ busy, left: log - checkpointed }).toEqual({ busy: 0, left: 0 })
  } finally {
    pages.close()
  }
})
