// Databases as earlier versions wrote them, one for each schema that ever landed, open with this version and hold
// what a world of this version holds in which the same was done. The version before finds its own database again.

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import Database from 'better-sqlite3'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { ConfigError } from '../../../src/base/config/config.ts'
import { type Db, FILE_NAME, openWriter } from '../../../src/data/store/db.ts'
import { schemaVersion } from '../../../src/data/store/migrate.ts'
import { readState } from '../../../src/ingest/indexing/member-state/read-state.ts'
import { canonicalRows } from '../../support/canonical-rows.ts'
import { createWorld, type World } from '../../support/world.ts'
import { liveInWorld, MEMBERS } from './upgrade-fixtures/acts.ts'

const FIXTURES = join(import.meta.dirname, 'upgrade-fixtures')
const files = readdirSync(FIXTURES).filter((name) => name.endsWith('.zst'))

let world: World
let expected: ReturnType<typeof contentOf>
let folder: string

beforeAll(() => {
  world = createWorld({ members: MEMBERS })
  liveInWorld(world, (did, subjectDid) => world.request({ id: 1, did, kind: 'mute', subjectDid }))
  expected = contentOf(world.db)
})

afterAll(() => world.dispose())

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipstream-upgrades-'))
})

afterEach(() => rmSync(folder, { recursive: true }))

function contentOf(db: Db) {
  return {
    rows: canonicalRows(db),
    states: MEMBERS.map((name) => {
      const { notifications, ...state } = readState(db, world.account(name))
      // The first schema knew no notifications, and a member without settings has these.
      return { ...state, notifications: { priority: false, ...notifications } }
    }),
  }
}

function position(file: string): Buffer {
  const bytes = zstdDecompressSync(readFileSync(join(FIXTURES, file)))
  writeFileSync(join(folder, FILE_NAME), bytes)
  return bytes
}

it('has a fixture of every schema from the first to this one', () => {
  const schemas = files.map((name) => Number(name.slice(0, 3)))
  expect(schemas[0]).toBe(1)
  expect(schemas.length).toBeGreaterThanOrEqual(20)
})

it.each(files)('opens %s, and holds the same', (file) => {
  position(file)
  const db = openWriter(folder)
  try {
    expect(db.pragma('user_version', { simple: true })).toBe(schemaVersion)
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
    expect(contentOf(db)).toEqual(expected)
  } finally {
    db.close()
  }
})

it('leaves the version before its own database, byte for byte', () => {
  const bytes = position(files[0]!)
  openWriter(folder).close()
  const copy = readdirSync(folder).find((name) => name.startsWith(`${FILE_NAME}.before-`))
  const stored = new Database(join(folder, copy!))
  expect(stored.pragma('user_version', { simple: true })).toBe(1)
  const rows = (db: Database.Database) => db.prepare('SELECT * FROM posts ORDER BY id').all()
  const original = new Database(bytes)
  expect(rows(stored)).toEqual(rows(original))
  stored.close()
  original.close()
})

it('refuses a database of a newer version, and changes nothing', () => {
  position(files.at(-1)!)
  const db = openWriter(folder)
  db.pragma(`user_version = ${schemaVersion + 1}`)
  db.close()
  const before = readFileSync(join(folder, FILE_NAME))
  let refusal: unknown
  try {
    openWriter(folder)
  } catch (error) {
    refusal = error
  }
  expect(refusal).toBeInstanceOf(ConfigError)
  expect((refusal as ConfigError).message).toContain(`has schema ${schemaVersion + 1}`)
  expect((refusal as ConfigError).hint).toContain('Run the newer Slipstream')
  expect(readFileSync(join(folder, FILE_NAME)).equals(before)).toBe(true)
})
