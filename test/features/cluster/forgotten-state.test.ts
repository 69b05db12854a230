// An upgrade drops what was shared of accounts that are no members, and waits for the removal of deleted ones.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { FILE_NAME, openWriter } from '../../../src/data/store/db.ts'
import { migrate } from '../../../src/data/store/migrate.ts'
import { removalsDoneBefore } from '../../../src/data/store/removal/removals.ts'

test('only members’ shared state stays, and a deleted account that had some waits for its removal', () => {
  const folder = mkdtempSync(join(tmpdir(), 'slipstream-shared-state-'))
  const old = new Database(join(folder, FILE_NAME))
  migrate(old, 43)
  old.exec(`INSERT INTO actors (uid, did, status, status_at, indexed_at) VALUES
      (1, 'did:plc:a', 4, 5000, 0), (2, 'did:plc:b', 0, 6000, 0), (3, 'did:plc:c', 4, 7000, 0);
    INSERT INTO members (uid, joined_at) VALUES (2, 1);
    INSERT INTO shared_state VALUES (1, 'engine', 1), (2, 'engine', 1);`)
  old.close()
  const db = openWriter(folder)
  expect(db.prepare('SELECT uid FROM shared_state').pluck().all()).toEqual([2])
  expect(removalsDoneBefore(db, 10, 10)).toEqual([1])
  db.close()
  rmSync(folder, { recursive: true })
})
