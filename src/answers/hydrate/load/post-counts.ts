import type { PostCountsRow } from '../../../data/store/read/posts/posts.ts'
import type { PostCounts } from '../types.ts'

type Columns = PostCountsRow extends [unknown, ...infer Counts] ? Counts : never

export function toPostCounts([likes, reposts, replies, quotes, bookmarks]: Columns): PostCounts {
  return {
    likeCount: likes,
    repostCount: reposts,
    replyCount: replies,
    quoteCount: quotes,
    bookmarkCount: bookmarks,
  }
}
