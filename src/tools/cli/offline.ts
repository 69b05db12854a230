// Works on the database without a server, with its folder locked, so that none starts meanwhile.

import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Config, ConfigError } from '../../base/config/config.ts'
import { loadRowsFeatures, refuseRows } from '../../data/feature.ts'
import type { ActorTable } from '../../data/graph/actor-table.ts'
import { type Db, FILE_NAME, openReader, openWriter } from '../../data/store/db.ts'
import { closeToOthers } from '../../data/store/files/data-folder.ts'
import { lockDataDir } from '../../data/store/files/lock.ts'
import { schemaOf, schemaVersion } from '../../data/store/migrate.ts'
import type { Writer } from '../../ingest/indexing/writer.ts'
import { findServer } from './control-client.ts'

type OfflineWriter = { db: Db; actors: ActorTable; writer: Writer }

/**
 * Reads from the running server, or from the rows if none runs.
 * @throws ConfigError if there is no database.
 */
export async function readingAnyhow<T>(
  config: Pick<Config, 'dataDir'>,
  path: string,
  read: (db: Db) => T,
): Promise<T> {
  const server = await findServer(config.dataDir)
  return server ? server.ask<T>('GET', path) : readingOffline(config, read)
}

/** @throws ConfigError if a server is running, or there is no database. */
export async function readingOffline<T>(
  { dataDir }: Pick<Config, 'dataDir'>,
  read: (db: Db) => T | Promise<T>,
): Promise<T> {
  refuseMissing(dataDir)
  return locked(dataDir, async () => {
    const db = openReader(dataDir)
    try {
      refuseForeign(db)
      return await read(db)
    } finally {
      db.close()
    }
  })
}

/**
 * Creates and upgrades the database if necessary, as the server would.
 * @throws ConfigError if this data is decided elsewhere
 */
export async function writingOffline<T>(
  config: Config,
  write: (writer: OfflineWriter) => T | Promise<T>,
): Promise<T> {
  const features = await loadRowsFeatures()
  for (const feature of features) feature.refuseOffline?.(config)
  return writingOwn(config, (parts) => {
    refuseRows(features, config, parts.db)
    return write(parts)
  })
}

type WriterConfig = Pick<Config, 'dataDir' | 'indexScope' | 'trustedVerifiers'>

/** Writes data that each node keeps in its own rows, whether it shares anything or not. */
export async function writingOwn<T>(
  config: WriterConfig,
  write: (writer: OfflineWriter) => T | Promise<T>,
): Promise<T> {
  return locked(config.dataDir, async () => {
    // Imported late: they load slowly, and most commands don't need them.
    const { createActorTable } = await import('../../data/graph/actor-table.ts')
    const { createWriter } = await import('../../ingest/indexing/writer.ts')
    const { rebuildActors } = await import('../../ingest/indexing/memory/rebuild-memory.ts')
    const db = openWriter(config.dataDir)
    try {
      const actors = createActorTable()
      rebuildActors(db, actors)
      const { indexScope: scope, trustedVerifiers } = config
      const writer = createWriter({
        db,
        memory: { actors },
        scope,
        trustedVerifiers,
        now: Date.now,
      })
      return await write({ db, actors, writer })
    } finally {
      db.close()
    }
  })
}

/** @throws ConfigError if a server runs on the folder. */
export async function locked<T>(dataDir: string, work: () => T | Promise<T>): Promise<T> {
  const lock = lockDataDir(dataDir)
  try {
    closeToOthers(dataDir)
    return await work()
  } finally {
    lock.release()
  }
}

export function refuseMissing(dataDir: string): void {
  if (existsSync(join(dataDir, FILE_NAME))) return
  throw new ConfigError(
    `There is no database in ${resolve(dataDir)}, and no server is using it.`,
    'Set SLIPSTREAM_DATA_DIR to your data folder, or start the server once.',
  )
}

function refuseForeign(db: Db): void {
  const schema = schemaOf(db)
  if (schema === schemaVersion) return
  throw new ConfigError(
    `The database has schema ${schema}, and this Slipstream reads ${schemaVersion}.`,
    schema > schemaVersion
      ? 'Use the newer Slipstream that wrote it.'
      : 'Start this Slipstream once: it upgrades the database, after a backup.',
  )
}
