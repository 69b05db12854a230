// Brings a database to this build's schema, one numbered migration a transaction.

import type Database from 'better-sqlite3'
import { ConfigError } from '../config.ts'
import * as initial from './migrations/001-initial.ts'

const migrations = [initial]

export const schemaVersion = migrations.length

/** @throws ConfigError where a newer Slipstream has written the database. */
export function migrate(db: Database.Database): void {
  const found = db.pragma('user_version', { simple: true }) as number
  if (found > schemaVersion) {
    throw new ConfigError(
      `The database ${db.name} has schema ${found}; this Slipstream knows up to ${schemaVersion}.`,
      'Run the newer Slipstream that wrote it, or point SLIPSTREAM_DATA_DIR at another folder.',
    )
  }
  for (const migration of migrations.slice(found)) {
    db.transaction(() => {
      db.exec(migration.sql)
      db.pragma(`user_version = ${migration.version}`)
    })()
  }
}
