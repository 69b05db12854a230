// A database from before records: its profiles count towards the starter packs that they name.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openWriter } from '../../../../src/data/store/db.ts'
import * as initial from '../../../../src/data/store/migrations/001-025/001-initial.ts'
import { prepareRecords } from '../../../../src/data/store/read/records/records.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipstream-records-'))
})

afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

test('existing profiles are counted by the starter pack they name', () => {
  const old = new Database(join(folder, 'slipstream.sqlite'))
  old.exec(initial.sql)
  old.pragma('user_version = 1')
  const insert = old.prepare(
    'INSERT INTO profiles (uid, cid, record, created_at, indexed_at) VALUES (?, ?, ?, ?, 0)',
  )
  const pack = 'at://did:plc:x/app.bsky.graph.starterpack/a'
  const records = [
    { joinedViaStarterPack: { uri: pack } },
    { joinedViaStarterPack: { uri: pack } },
    { joinedViaStarterPack: { uri: `${pack}b` } },
    { description: 'joinedViaStarterPack' },
    { displayName: 'nobody' },
  ]
  for (const [i, record] of records.entries()) {
    insert.run(i + 1, Buffer.alloc(32), Buffer.from(JSON.stringify(record)), i * 100)
  }
  // Deeper than SQLite's JSON parser allows.
  const deep = `{"joinedViaStarterPack":${'['.repeat(2000)}${']'.repeat(2000)}}`
  insert.run(99, Buffer.alloc(32), Buffer.from(deep), 0)
  old.close()
  const db = openWriter(folder)
  expect(prepareRecords(db).joinsThrough([pack, 'at://nowhere'], 50)).toEqual([
    { uri: pack, allTime: 2, recent: 1 },
  ])
  db.close()
})
