// The core's migrations as one script: what they leave in an empty database, in the order in which they made it.

import Database from 'better-sqlite3'
import { coreMigrations, takeSteps } from '../../src/data/store/migrate.ts'

type Row = Record<string, string | number | null | Buffer>

export function startSchema(): string {
  const db = new Database(':memory:')
  takeSteps(
    db,
    coreMigrations.map((migration) => ({ migration })),
  )
  const version = db.pragma('user_version', { simple: true }) as number
  const statements = [...schemaOf(db), ...rowsOf(db), `PRAGMA user_version = ${version}`]
  db.close()
  return `${HEAD}\n\n${statements.map((statement) => `${statement};`).join('\n\n')}\n`
}

const HEAD = `-- What a new folder begins with: written by scripts/start-schema.ts from the migrations before it, which older folders
-- take one by one. test/data/store/migrations/start-schema.test.ts holds both to the same.`

/** Without the tables that virtual ones make for themselves. */
function tablesOf(db: Database.Database): Set<string> {
  const made = new Set(['shadow', 'virtual'])
  const listed = db.pragma('table_list') as { name: string; type: string; schema: string }[]
  const real = listed.filter(({ name, type }) => !made.has(type) && !name.startsWith('sqlite_'))
  return new Set(real.map(({ name }) => name))
}

function schemaOf(db: Database.Database): string[] {
  const shadows = (db.pragma('table_list') as { name: string; type: string }[])
    .filter(({ type }) => type === 'shadow')
    .map(({ name }) => name)
  const all = db.prepare('SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL').all()
  return (all as { name: string; sql: string }[])
    .filter(({ name }) => !name.startsWith('sqlite_') && !shadows.includes(name))
    .map(({ sql }) => sql)
}

function rowsOf(db: Database.Database): string[] {
  return [...tablesOf(db)].sort().flatMap((table) => {
    const rows = db.prepare(`SELECT * FROM "${table}"`).all() as Row[]
    return rows.map((row) => {
      const values = Object.values(row).map((value) => literal(db, value))
      return `INSERT INTO ${table} (${Object.keys(row).join(', ')}) VALUES (${values.join(', ')})`
    })
  })
}

function literal(db: Database.Database, value: Row[string]): string {
  // Bound as it is, every number would be a real one.
  const bound = typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : value
  return db.prepare('SELECT quote(?)').pluck().get(bound) as string
}
