// Reading positions that an earlier version stored as signed texts, and how long any are stored.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { openWriter } from '../../../../src/data/store/db.ts'
import { migrate } from '../../../../src/data/store/migrate.ts'
import { createCursors } from '../../../../src/features/timelines/sources/signed-cursor.ts'
import {
  CURSOR_LIMITS,
  findStoredCursor,
  pruneCursors,
  storeCursor,
} from '../../../../src/features/timelines/store/timeline-cursors.ts'
import { openEmpty } from '../../../support/empty-database.ts'

const { write } = createCursors(() => [{ id: 1, secret: Buffer.alloc(32) }])

/** A database whose positions are as version 41 stored them. */
function writeEarlier(folder: string, rows: [reader: string, timeline: string, cursor: string][]) {
  const old = new Database(join(folder, 'slipstream.sqlite'))
  migrate(old, 41)
  old.exec(`INSERT INTO actors (uid, did, indexed_at) VALUES (1, 'did:plc:alice', 0), (2, 'did:plc:gone', 0);
    INSERT INTO members (uid, joined_at) VALUES (1, 0);
    INSERT INTO service_tokens (name, digest, scopes, rate, created_at, revoked_at) VALUES
      ('bot', 'a', '[]', 0, 0, NULL), ('ended', 'b', '[]', 0, 0, 5);`)
  const put = old.prepare('INSERT INTO timeline_cursors VALUES (?, ?, ?, ?)')
  for (const [i, row] of rows.entries()) put.run(...row, i)
  old.close()
}

test('earlier positions stay with members and valid tokens, the newest of each, and no others', () => {
  const folder = mkdtempSync(join(tmpdir(), 'slipstream-cursors-'))
  const key = (i: number) => `author:did:plc:${i}+list:at://did:plc:x/app.bsky.graph.list/3k`
  const cursor = (i: number) => write(key(i), { isForward: i % 2 === 0, at: [i, 7] })
  const many = Array.from({ length: 200 }, (_, i) => i)
  writeEarlier(folder, [
    ...many.map((i) => ['did:plc:alice', key(i), cursor(i)] as [string, string, string]),
    ['did:plc:alice', 'custom:broken', 'nonsense'],
    ['did:plc:gone', key(1), cursor(1)],
    ['token bot', key(2), cursor(2)],
    ['token ended', key(3), cursor(3)],
  ])
  const db = openWriter(folder)
  const alice = { uid: 1, token: '' }
  const filtered = many.filter((i) => findStoredCursor(db, alice, key(i)) !== undefined)
  expect(filtered).toEqual(many.slice(1 - CURSOR_LIMITS.member.rows))
  expect(findStoredCursor(db, alice, key(199))).toEqual({
    isForward: false,
    at: [199, 7],
    updatedAt: 199,
  })
  const readers = db.prepare('SELECT DISTINCT uid, token FROM timeline_cursors ORDER BY uid').all()
  expect(readers).toEqual([{ uid: 0, token: 'bot' }, alice])
  db.close()
  rmSync(folder, { recursive: true })
})

test('an owner stores a limited number of bytes, and rows that are not stored again are dropped', () => {
  const folder = mkdtempSync(join(tmpdir(), 'slipstream-cursors-'))
  const db = openEmpty(folder)
  const owner = { uid: 1, token: '' }
  const at = Array.from({ length: 16 }, () => Number.MAX_SAFE_INTEGER)
  const store = (timeline: string, now: number, positions = at) =>
    storeCursor(db, owner, { timeline, position: { isForward: true, at: positions }, now })
  const large = Array.from({ length: 100 }, (_, i) => store(`custom:a${i}`, i)).filter(Boolean)
  expect(large.length).toBe(Math.floor(CURSOR_LIMITS.member.bytes / (64 + 16 * 17 - 1)))
  expect(pruneCursors(db, 10, 1_000)).toBe(10)
  expect(findStoredCursor(db, owner, 'custom:a9')).toBeUndefined()
  expect(findStoredCursor(db, owner, 'custom:a10')).toMatchObject({ at })
  const small = Array.from({ length: 100 }, (_, i) => store(`custom:b${i}`, i, [1])).filter(Boolean)
  expect(large.length - 10 + small.length).toBe(CURSOR_LIMITS.member.rows)
  db.close()
  rmSync(folder, { recursive: true })
})
