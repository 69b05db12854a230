// Real SQLite errors, explained to an operator.

import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { storeTrouble } from '../../../../src/data/store/files/trouble.ts'

const dir = mkdtempSync(join(tmpdir(), 'slipstream-trouble-'))

function refusal(work: () => unknown): unknown {
  try {
    work()
  } catch (error) {
    return error
  }
  throw new Error('no error was thrown')
}

function fill(db: Database.Database): void {
  db.exec('CREATE TABLE t (x)')
  db.pragma('max_page_count = 4')
  db.prepare('INSERT INTO t VALUES (zeroblob(100000))').run()
}

test.each([
  ['a full disk', () => fill(new Database(':memory:')), /is full .*SQLITE_FULL/, /Free some space/],
  [
    'a file that is not a database',
    () => {
      writeFileSync(join(dir, 'garbage'), 'no database '.repeat(1000))
      new Database(join(dir, 'garbage')).pragma('user_version')
    },
    /damaged .*SQLITE_NOTADB/,
    /backup/,
  ],
  [
    'a folder in place of the file',
    () => new Database(dir),
    /cannot be opened .*SQLITE_CANTOPEN/,
    /write access/,
  ],
])('%s', (_what, work, message, hint) => {
  const trouble = storeTrouble(refusal(work))
  expect(trouble?.message).toMatch(message)
  expect(trouble?.hint).toMatch(hint)
})

test('a mistake in our own statement is not blamed on the disk', () => {
  expect(storeTrouble(refusal(() => new Database(':memory:').exec('SELEKT')))).toBeUndefined()
  for (const other of [undefined, null, 'SQLITE_FULL', new Error('x'), { code: 11 }]) {
    expect(storeTrouble(other)).toBeUndefined()
  }
})
