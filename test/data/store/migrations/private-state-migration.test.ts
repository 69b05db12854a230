// Mutes and counts from before scopes, bookmarks and ordered lists keep their meaning.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { openWriter } from '../../../../src/data/store/db.ts'
import * as initial from '../../../../src/data/store/migrations/001-025/001-initial.ts'
import { mutesOf, putMute } from '../../../../src/data/store/private/mutes.ts'
import { transact } from '../../../../src/data/store/transact.ts'

test('a filled database keeps its mutes, as full mutes, and its counts, without bookmarks', () => {
  const folder = mkdtempSync(join(tmpdir(), 'slipstream-private-'))
  const old = new Database(join(folder, 'slipstream.sqlite'))
  old.exec(initial.sql)
  old.pragma('user_version = 1')
  old.prepare("INSERT INTO lists (id, uid, rkey) VALUES (7, 1, 'list')").run()
  for (let i = 1; i <= 50; i++) {
    old.prepare('INSERT INTO mutes VALUES (?, ?, ?)').run(1 + (i % 3), i + 10, i)
    old.prepare('INSERT INTO post_counts VALUES (?, ?, 2, 3, 4)').run(i, i)
    old.prepare('INSERT INTO list_items VALUES (1, ?, 7, ?, ?)').run(i, i % 20, i)
  }
  old.close()
  const db = openWriter(folder)
  const counts = db.prepare('SELECT likes, quotes, bookmarks FROM post_counts WHERE post = 9').get()
  expect(counts).toEqual({ likes: 9, quotes: 4, bookmarks: 0 })
  expect(db.prepare('SELECT people FROM lists').pluck().get()).toBe(20)
  const mutes = [1, 2, 3].map((uid) => mutesOf(db, uid))
  expect(mutes.map(({ length }) => length)).toEqual([16, 17, 17])
  expect(mutes[1]![0]).toEqual({ subject: 11, scope: 0, createdAt: 1 })
  transact(db, () => putMute(db, { uid: 2, subject: 11, scope: 3, createdAt: 99 }))
  expect(mutesOf(db, 2)[0]).toEqual({ subject: 11, scope: 3, createdAt: 1 })
  const plan = db
    .prepare<[], { detail: string }>(
      'EXPLAIN QUERY PLAN SELECT rkey FROM list_items WHERE list = 7 ORDER BY sort_at DESC, rkey DESC',
    )
    .all()
  expect(plan.map(({ detail }) => detail).join()).toMatch(/list_items_by_time/)
  expect(plan.map(({ detail }) => detail).join()).not.toMatch(/TEMP B-TREE/)
  db.close()
  rmSync(folder, { recursive: true })
})
