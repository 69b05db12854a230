// A new folder begins with one script, an older one takes the steps: both have the same tables, indexes and triggers,
// and the same rows in them.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startSchema } from '../../../../scripts/schema/squash.ts'
import { openWriter } from '../../../../src/data/store/db.ts'
import {
  coreMigrations,
  migrate,
  schemaOf,
  schemaVersion,
  takeSteps,
} from '../../../../src/data/store/migrate.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipstream-start-schema-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function byScript(): Database.Database {
  return openWriter(folder)
}

/** As a folder of the first version, which had nothing in it. */
function bySteps(): Database.Database {
  const db = new Database(':memory:')
  takeSteps(db, [{ migration: coreMigrations[0]! }])
  migrate(db)
  return db
}

/** Everything that statements can meet. Rowids of the schema and counters at zero mean nothing. */
function contentOf(db: Database.Database) {
  const all = <T>(sql: string) => db.prepare(sql).all() as T[]
  const schema = all<{ name: string }>('SELECT type, name, tbl_name, sql FROM sqlite_schema')
  const tables = all<{ name: string; type: string }>('SELECT name, type FROM pragma_table_list')
    .filter(({ type, name }) => type !== 'virtual' && !name.startsWith('sqlite_'))
    .map(({ name }) => name)
  return {
    version: schemaOf(db),
    schema: schema.sort((a, b) => (a.name < b.name ? -1 : 1)),
    rows: tables.sort().map((name) => [name, all(`SELECT * FROM "${name}"`)]),
    counters: all('SELECT name, seq FROM sqlite_sequence WHERE seq > 0 ORDER BY name'),
  }
}

describe('a new folder and an old one', () => {
  test('have the same schema and rows', () => {
    const [script, steps] = [byScript(), bySteps()]
    const [new_, old] = [contentOf(script), contentOf(steps)]
    expect(new_.version).toBe(schemaVersion)
    expect(new_.schema.length).toBeGreaterThan(100)
    expect(new_).toEqual(old)
    expect(script.pragma('integrity_check', { simple: true })).toBe('ok')
    script.close()
    steps.close()
  })

  test('a start that broke off before features’ tables is finished by the next one', () => {
    const db = openWriter(folder)
    const complete = contentOf(db)
    db.close()
    const broken = new Database(':memory:')
    broken.exec(startSchema())
    migrate(broken)
    expect(contentOf(broken)).toEqual(complete)
    broken.close()
  })

  test('an earlier schema is still made by steps', () => {
    const db = new Database(':memory:')
    migrate(db, 9)
    expect(schemaOf(db)).toBe(9)
    migrate(db)
    expect(contentOf(db)).toEqual(contentOf(byScript()))
    db.close()
  })
})
