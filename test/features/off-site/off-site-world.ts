// A data folder with a writer, a store, and shippers and restores between them.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { type Config, loadConfig } from '../../../src/base/config/config.ts'
import { FILE_NAME } from '../../../src/data/store/db.ts'
import { createS3, type S3Options } from '../../../src/features/off-site/bucket/s3.ts'
import { type Objects, sealedObjects } from '../../../src/features/off-site/copying/objects.ts'
import {
  type OffSiteRestored,
  restoreOffSite,
} from '../../../src/features/off-site/restoring/restore.ts'
import { type Keys, keysFrom, newIdentity } from '../../../src/features/off-site/sealing/keys.ts'
import { openShipper, type Shipper } from '../../../src/features/off-site/shipping/shipper.ts'
import { ACCESS_KEY, BUCKET, type S3Double } from './s3-double.ts'

export type OffSiteWorld = {
  keys: Keys
  /** As through a store that answers at once or not at all. */
  objects(keys?: Keys, s3?: Partial<S3Options>): Objects
  shipper(dataDir: string, options?: { keepDays?: number; now?: () => number }): Shipper
  folder(): string
  /** Into a new folder. */
  restore(options?: {
    until?: number
    objects?: Objects
  }): Promise<OffSiteRestored & { dataDir: string }>
  close(): void
}

export const QUICK = { firstMs: 1, silentMs: 500 }

export async function createOffSiteWorld(store: Pick<S3Double, 'endpoint'>): Promise<OffSiteWorld> {
  const keys = await keysFrom(await newIdentity())
  const folders: string[] = []
  const shippers: Shipper[] = []

  function objects(withKeys = keys, s3: Partial<S3Options> = {}): Objects {
    const options = {
      url: `s3://${BUCKET}/here`,
      endpoint: store.endpoint,
      region: 'us-east-1',
      accessKeyId: ACCESS_KEY,
      secretAccessKey: 'test-secret-key',
      ...s3,
    }
    return sealedObjects(createS3(options, QUICK), withKeys)
  }

  function folder(): string {
    const made = mkdtempSync(join(tmpdir(), 'slipstream-off-site-'))
    folders.push(made)
    return made
  }

  return {
    keys,
    objects,
    folder,
    shipper(dataDir, { keepDays = 7, now = Date.now } = {}) {
      const settings = 'SLIPSTREAM_HOSTNAME=lost.example.org\n'
      const made = openShipper({ dataDir, objects: objects(), keys, keepDays, settings, now })
      shippers.push(made)
      return made
    },
    async restore({ until, objects: from = objects() } = {}) {
      const dataDir = folder()
      return {
        ...(await restoreOffSite({ config: configFor(dataDir), objects: from, until })),
        dataDir,
      }
    },
    close() {
      for (const shipper of shippers) shipper.close()
      for (const folder of folders) rmSync(folder, { recursive: true, force: true })
    },
  }
}

export function configFor(dataDir: string, more: Record<string, string> = {}): Config {
  return loadConfig({ SLIPSTREAM_DATA_DIR: dataDir, ...more }, '/dev/null')
}

/** Every row of every table. */
export function contentOf(dataDir: string): Record<string, unknown[]> {
  const db = new Database(join(dataDir, FILE_NAME), { readonly: true })
  try {
    const tables = db
      .prepare<[], string>(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name",
      )
      .pluck()
      .all()
    return Object.fromEntries(
      tables.map((table) => [
        table,
        db
          .prepare(`SELECT * FROM "${table}"`)
          .all()
          .map((row) => JSON.stringify(row))
          .sort(),
      ]),
    )
  } finally {
    db.close()
  }
}
