// All accounts, whatever their state, move to a table without an index of DIDs.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openWriter } from '../../../../src/data/store/db.ts'
import * as initial from '../../../../src/data/store/migrations/001-025/001-initial.ts'
import { statusCode } from '../../../../src/data/store/records/status.ts'
import { didOf } from '../../../support/network-stream.ts'
import { createRandom } from '../../../support/random.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipstream-actors-'))
})

afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

type Row = Record<string, unknown>

const all = (db: Database.Database) => db.prepare<[], Row>('SELECT * FROM actors').all()

/** A later version drops the names of deleted accounts. */
function withoutNames(row: Row): Row {
  const names = { handle: null, handle_valid: 0, identity_checked_at: null, pds: null, rev: null }
  return row['status'] === statusCode('deleted') ? { ...row, ...names } : row
}

function indexesOf(db: Database.Database): string[] {
  const sql =
    "SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name = 'actors' ORDER BY 1"
  return db.prepare<[], string>(sql).pluck().all()
}

test('every column of every account is unchanged, but for the names of deleted ones', () => {
  const old = new Database(join(folder, 'slipstream.sqlite'))
  old.exec(initial.sql)
  old.pragma('user_version = 1')
  const random = createRandom(77)
  const maybe = <T>(value: T) => (random.chance(0.5) ? value : null)
  const insert = old.prepare(`INSERT INTO actors VALUES (${Array(14).fill('?').join(', ')})`)
  for (let uid = 1; uid <= 300; uid++) {
    const did = random.chance(0.9) ? didOf(uid) : `did:web:host-${uid}.test`
    const identity = [
      maybe(`name-${uid}.test`),
      random.below(2),
      maybe(uid),
      maybe('https://pds.test'),
    ]
    const status = [random.below(5), random.below(1e9), maybe(uid), maybe('3k2a4b5c6d7e2')]
    insert.run(uid, did, ...identity, ...status, uid, random.below(9), random.below(9), 1)
  }
  const before = all(old)
  const indexes = indexesOf(old)
  old.close()
  const db = openWriter(folder)
  expect(all(db)).toEqual(before.map(withoutNames))
  const unwanted = 'sqlite_autoindex_actors_1'
  expect(indexes).toContain(unwanted)
  expect(indexesOf(db)).toEqual(indexes.filter((name) => name !== unwanted))
  db.close()
})

test('a new database has no such index either', () => {
  const db = openWriter(folder)
  expect(indexesOf(db)).toEqual(['actors_by_handle', 'actors_not_active', 'actors_removed'])
  db.close()
})
