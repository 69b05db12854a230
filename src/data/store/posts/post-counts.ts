import { INVALIDATION } from '../../shared-memory/invalidation-kinds.ts'
import type { WriteDb } from '../db.ts'
import { perDatabase } from '../per-database.ts'
import { invalidationsOf } from '../transact.ts'

/** Amounts to add to a post's counts. */
export type PostCounts = { likes: number; reposts: number; replies: number; quotes: number }

const statements = perDatabase((db) => ({
  invalidations: invalidationsOf(db),
  add: db.prepare<[number, number, number, number, number]>(
    `INSERT INTO post_counts (post, likes, reposts, replies, quotes) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (post) DO UPDATE SET likes = likes + excluded.likes, reposts = reposts + excluded.reposts,
        replies = replies + excluded.replies, quotes = quotes + excluded.quotes`,
  ),
}))

export function addPostCounts(db: WriteDb, post: number, delta: PostCounts): void {
  const { likes, reposts, replies, quotes } = delta
  const { add, invalidations } = statements(db)
  add.run(post, likes, reposts, replies, quotes)
  invalidations.add(INVALIDATION.counts, post)
}
