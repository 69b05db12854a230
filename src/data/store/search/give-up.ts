// Drops the whole index of post words if the disk has no room for it, and rebuilds it from rows, newest
// first, once there is room. Possibly in another process, so a row records that it was dropped.

import type { Db, WriteDb } from '../db.ts'
import { perDatabase } from '../per-database.ts'
import { resetIndexedPosts } from './post-index.ts'
import { POST } from './queue.ts'
import { resetStretches } from './stretches.ts'

const GIVEN_UP = 'search.given-up'

const statements = perDatabase((db) => ({
  note: db.prepare(`INSERT OR REPLACE INTO meta (key, value) VALUES ('${GIVEN_UP}', 1)`),
  forget: db.prepare(`DELETE FROM meta WHERE key = '${GIVEN_UP}'`),
  isInvalidated: db.prepare<[], number>(`SELECT 1 FROM meta WHERE key = '${GIVEN_UP}'`).pluck(),
  clear: db.prepare("INSERT INTO post_words (post_words) VALUES ('delete-all')"),
  dropBacklog: db.prepare<[number]>('DELETE FROM search_backlog WHERE kind = ?'),
  putBacklog: db.prepare<[number]>(
    'INSERT OR REPLACE INTO search_backlog (kind, below) SELECT ?, max(id) + 1 FROM posts HAVING max(id) IS NOT NULL',
  ),
}))

/** Frees its pages at once. */
export function giveUpPostIndex(db: WriteDb): void {
  const { clear, dropBacklog, note } = statements(db)
  clear.run()
  dropBacklog.run(POST)
  resetIndexedPosts(db)
  resetStretches(db)
  note.run()
}

export function isPostIndexGivenUp(db: Db): boolean {
  return statements(db).isInvalidated.get() !== undefined
}

export function rebuildPostIndex(db: WriteDb): void {
  const { putBacklog, forget } = statements(db)
  putBacklog.run(POST)
  forget.run()
}
