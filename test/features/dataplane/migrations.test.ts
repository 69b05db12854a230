// An upgrade goes on from the tables that a server had before the dataplane was a feature.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { FILE_NAME, openWriter } from '../../../src/data/store/db.ts'
import { migrate } from '../../../src/data/store/migrate.ts'
import { removalsDoneBefore } from '../../../src/data/store/removal/removals.ts'

test.each(['as a feature', 'before features'])(
  'deleted accounts with rows wait for their removal, and no row is lost: %s',
  (when) => {
    const folder = mkdtempSync(join(tmpdir(), 'slipstream-dataplane-'))
    const old = new Database(join(folder, FILE_NAME))
    migrate(old, 43)
    if (when === 'before features') old.exec('DROP TABLE feature_schemas')
    // Deleted: one with an operation, one with an age, one with nothing; and an active one.
    old.exec(`INSERT INTO actors (uid, did, status, status_at, indexed_at) VALUES
        (1, 'did:plc:a', 4, 5000, 0), (2, 'did:plc:b', 4, 5000, 0), (3, 'did:plc:c', 4, 5000, 0),
        (4, 'did:plc:d', 0, 5000, 0);
      INSERT INTO bsync_operations (stream, did, namespace, operation) VALUES
        (1, 'did:plc:a', '', x'00'), (1, 'did:plc:d', '', x'00');
      INSERT INTO age_assurance VALUES (2, 'assured', NULL, NULL), (4, 'assured', NULL, NULL)`)
    old.close()
    const db = openWriter(folder)
    expect(removalsDoneBefore(db, 10, 10)).toEqual([1, 2])
    const operations = db.prepare('SELECT did FROM bsync_operations ORDER BY did').pluck()
    expect(operations.all()).toEqual(['did:plc:a', 'did:plc:d'])
    db.close()
    rmSync(folder, { recursive: true })
  },
)
