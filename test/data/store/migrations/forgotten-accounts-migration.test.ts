// An upgrade finishes what the deletion of an account left to earlier versions.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { FILE_NAME, openWriter } from '../../../../src/data/store/db.ts'
import { migrate } from '../../../../src/data/store/migrate.ts'
import { nextRemoval, removalsDoneBefore } from '../../../../src/data/store/removal/removals.ts'

test('names of deleted accounts go, and those with private rows wait for their removal', () => {
  const folder = mkdtempSync(join(tmpdir(), 'slipstream-forgotten-'))
  const old = new Database(join(folder, FILE_NAME))
  migrate(old, 43)
  // Deleted: a member with a draft, one with an admission, one with nothing; and an active one.
  old.exec(`INSERT INTO actors (uid, did, handle, handle_valid, status, status_at, indexed_at) VALUES
      (1, 'did:plc:a', 'a.test', 1, 4, 5000, 0), (2, 'did:plc:b', 'b.test', 1, 4, 6000, 0),
      (3, 'did:plc:c', 'c.test', 1, 4, 7000, 0), (4, 'did:plc:d', 'd.test', 1, 0, 8000, 0);
    INSERT INTO drafts VALUES (1, '3k', '{}', 1, 1), (4, '3k', '{}', 1, 1);
    INSERT INTO admissions VALUES ('did:plc:b', NULL, 1), ('did:plc:d', NULL, 1);
    INSERT INTO members (uid, joined_at) VALUES (1, 1), (4, 1);
    INSERT INTO removals (uid, begun_at) VALUES (9, 1);
    INSERT INTO feed_depths VALUES (3, 1, NULL, 1, 1), (4, 1, NULL, 1, 1);
    INSERT INTO labelers (uid, named_at, named_by) VALUES (20, 1, 2), (21, 1, 4), (22, 1, NULL);`)
  old.close()
  const db = openWriter(folder)
  const pluck = (sql: string) => db.prepare<[], unknown>(sql).pluck().all()
  expect(pluck('SELECT handle FROM actors ORDER BY uid')).toEqual([null, null, null, 'd.test'])
  expect(nextRemoval(db)).toBe(9)
  expect(removalsDoneBefore(db, 6, 10)).toEqual([1])
  expect(removalsDoneBefore(db, 7, 10)).toEqual([1, 2])
  expect(pluck('SELECT uid FROM feed_depths')).toEqual([4])
  expect(pluck('SELECT named_by FROM labelers ORDER BY uid')).toEqual([0, 4, null])
  db.close()
  rmSync(folder, { recursive: true })
})
