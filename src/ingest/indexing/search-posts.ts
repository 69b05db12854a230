// From posts' rows to the index of words.

import { postTerms } from '../../data/search/post-terms.ts'
import type { WriteDb } from '../../data/store/db.ts'
import { PRESENT } from '../../data/store/posts.ts'
import {
  addPostWords,
  isTooOldForIndex,
  type PostToIndex,
  type PostWords,
  postToIndex,
  pruneIndexedPosts,
  removePostWords,
} from '../../data/store/search/post-index.ts'
import type { Queued } from '../../data/store/search/queue.ts'

export type PostIndexing = {
  /** The index holds at most so many posts, the newest; 0: none. */
  maxPosts: number
}

/** Puts into the index what the rows say now; takes out what stood there before. */
export function refreshPostIndex(
  db: WriteDb,
  { maxPosts }: PostIndexing,
  queued: readonly Queued[],
): void {
  const posts = queued.map(({ id }) => postToIndex(db, id)).filter((post) => post !== undefined)
  const present = posts.flatMap((post) => {
    return post.state === PRESENT && post.sort_at !== null ? [{ post, sortAt: post.sort_at }] : []
  })
  const before = queued.flatMap(({ id, was }) => (was === null ? [] : [{ id, sortAt: was }]))
  // Of rows from before nobody knows whether they are in.
  const now = present.map(({ post, sortAt }) => ({ id: post.id, sortAt }))
  removePostWords(db, [...before, ...now])
  if (maxPosts === 0) return
  const added = present.flatMap(({ post, sortAt }): PostWords[] => {
    if (isTooOldForIndex(db, sortAt, maxPosts)) return []
    const words = wordsOf(post)
    return words === undefined ? [] : [{ id: post.id, sortAt, words }]
  })
  addPostWords(db, added)
  pruneIndexedPosts(db, maxPosts)
}

function wordsOf({ uid, root, parent, record }: PostToIndex): string | undefined {
  try {
    const parsed: unknown = JSON.parse(record ?? 'null')
    if (typeof parsed !== 'object' || parsed === null) return undefined
    return postTerms({ uid, root, parent, record: parsed as Record<string, unknown> })
  } catch {
    return undefined // as stored by a repository that nobody checks
  }
}
