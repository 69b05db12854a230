// An author's or a member's pointer at a post went. Where not everything is kept, the post may have been here
// for its sake, and is looked at soon (retention/).

import { DOUBT, putDoubt } from '../store/doubts.ts'
import type { IndexContext } from './index-context.ts'

export function doubtPosts({ db, keptScope }: IndexContext, posts: Iterable<number | null>): void {
  if (keptScope === 'network') return
  for (const post of posts) if (post !== null) putDoubt(db, DOUBT.post, post)
}
