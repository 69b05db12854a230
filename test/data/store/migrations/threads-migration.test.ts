// A database from before threads: the owners' replies in their threads are found in its posts.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openWriter, type WriteDb } from '../../../../src/data/store/db.ts'
import { schemaVersion } from '../../../../src/data/store/migrate.ts'
import { sql as threadsSql } from '../../../../src/data/store/migrations/001-025/009-threads.ts'
import { createRandom } from '../../../support/random.ts'

const SEED = Number(process.env['SEED'] ?? 1_010)

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipstream-threads-'))
})

afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

/** Restores the earlier schema by removing the migration's objects. */
function undo(db: WriteDb): void {
  db.exec(`DROP TABLE op_replies; DROP TABLE thread_mutes; DROP INDEX reposts_by_subject_time;
    DROP INDEX posts_by_quote;
    CREATE INDEX posts_by_quote ON posts (quote) WHERE quote IS NOT NULL`)
}

test(`finds every reply of an owner in their own thread (seed ${SEED})`, () => {
  const random = createRandom(SEED)
  const db = openWriter(folder)
  undo(db)
  const insert = db.prepare(
    `INSERT INTO posts (id, uid, rkey, state, root, parent) VALUES (?, ?, 'key-' || ?, ?, ?, ?)`,
  )
  const posts = new Map<number, { uid: number; state: number; root: number | null }>()
  const expected: object[] = []
  for (let id = 1; id <= 400; id++) {
    const uid = 1 + random.below(3)
    const parent = id > 1 && random.chance(0.8) ? 1 + random.below(id - 1) : null
    const state = parent === null || random.chance(0.9) ? 1 : 2
    // A deleted post no longer has a place in a thread.
    const above = state === 1 && parent !== null ? posts.get(parent)! : undefined
    const root = above ? (above.root ?? parent) : null
    posts.set(id, { uid, state, root })
    insert.run(id, uid, id, state, root, root === null ? null : parent)
    if (root !== null && posts.get(root)!.uid === uid) {
      expected.push({ root, post: id, parent, deleted_at: null })
    }
  }
  db.exec(threadsSql)
  const found = db.prepare('SELECT root, post, parent, deleted_at FROM op_replies ORDER BY post')
  expect(found.all()).toEqual(expected)
  expect(expected.length).toBeGreaterThan(20)
  db.close()
})

test('a new database has this schema, with indexes for pages in time order', () => {
  const db = openWriter(folder)
  expect(db.pragma('user_version', { simple: true })).toBe(schemaVersion)
  const plan = (sql: string) =>
    db
      .prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map(({ detail }) => detail)
      .join('; ')
  const quotes = plan('SELECT id FROM posts WHERE quote = 1 ORDER BY sort_at DESC, id DESC')
  const reposts = plan('SELECT id FROM reposts WHERE subject = 1 ORDER BY sort_at DESC, id DESC')
  expect(quotes).toContain('posts_by_quote')
  expect(reposts).toContain('reposts_by_subject_time')
  expect(quotes + reposts).not.toContain('B-TREE')
  db.close()
})
