import type { Db } from '../db.ts'
import { perDatabase } from '../per-database.ts'

const statements = perDatabase((db) => ({
  posts: db.prepare<[], number | null>('SELECT max(id) FROM posts').pluck(),
  reposts: db.prepare<[], number | null>('SELECT max(id) FROM reposts').pluck(),
  follows: db.prepare<[], number | null>('SELECT sum(follows_count) FROM actors').pluck(),
}))

/** Posts and reposts ever stored, including posts that are only referenced. Quick. */
export function highestIds(db: Db): { posts: number; reposts: number } {
  const { posts, reposts } = statements(db)
  return { posts: posts.get() ?? 0, reposts: reposts.get() ?? 0 }
}

/** Edges of the follow graph. Reads all accounts. */
export function countFollows(db: Db): number {
  return statements(db).follows.get() ?? 0
}
