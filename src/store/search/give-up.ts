// The index of posts' words is given up whole where there is no room for it, and made anew from rows, the
// newest first, when there is.

import type { Db } from '../db.ts'
import { perDatabase } from '../per-database.ts'
import { transact } from '../transact.ts'
import { resetIndexedPosts } from './post-index.ts'
import { POST } from './queue.ts'

const statements = perDatabase((db) => ({
  clear: db.prepare("INSERT INTO post_words (post_words) VALUES ('delete-all')"),
  dropBacklog: db.prepare<[number]>('DELETE FROM search_backlog WHERE kind = ?'),
  putBacklog: db.prepare<[number]>(
    'INSERT OR REPLACE INTO search_backlog (kind, below) SELECT ?, max(id) + 1 FROM posts HAVING max(id) IS NOT NULL',
  ),
}))

/** Its pages are free at once. */
export function giveUpPostIndex(db: Db): void {
  transact(db, () => {
    const { clear, dropBacklog } = statements(db)
    clear.run()
    dropBacklog.run(POST)
    resetIndexedPosts(db)
  })
}

export function rebuildPostIndex(db: Db): void {
  transact(db, () => void statements(db).putBacklog.run(POST))
}
