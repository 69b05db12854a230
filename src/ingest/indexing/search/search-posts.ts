// Updates the word index from posts' rows.

import type { WriteDb } from '../../../data/store/db.ts'
import { PRESENT } from '../../../data/store/posts/posts.ts'
import {
  addPostWords,
  isTooOldForIndex,
  PERIOD_MS,
  type PostToIndex,
  type PostWords,
  postToIndex,
  pruneIndexedPosts,
  removePostWords,
} from '../../../data/store/search/post-index.ts'
import { postTerms } from '../../../data/store/search/post-terms.ts'
import type { Queued } from '../../../data/store/search/queue.ts'
import { STRETCH_POSTS, takeUnmoved } from '../../../data/store/search/stretches.ts'

export type PostIndexing = {
  /** Most posts in the index, the newest; 0 for none. */
  maxPosts: number
  /** Usual number of posts of a stretch (data/store/search/stretches.ts). */
  stretchPosts?: number
}

/** Adds the rows' current words to the index; removes their earlier ones. */
export function refreshPostIndex(
  db: WriteDb,
  { maxPosts, stretchPosts = STRETCH_POSTS }: PostIndexing,
  queued: readonly Queued[],
): void {
  const posts = queued.map(({ id }) => postToIndex(db, id)).filter((post) => post !== undefined)
  const present = posts.flatMap((post) => {
    return post.state === PRESENT && post.sort_at !== null ? [{ post, sortAt: post.sort_at }] : []
  })
  const before = queued.flatMap(({ id, was }) => (was === null ? [] : [{ id, sortAt: was }]))
  // Rows from before the index may or may not be in it.
  const now = present.map(({ post, sortAt }) => ({ id: post.id, sortAt }))
  removePostWords(db, [...before, ...now])
  if (maxPosts === 0) return
  const added = present.flatMap(({ post, sortAt }): PostWords[] => {
    if (isTooOldForIndex(db, sortAt, maxPosts)) return []
    const words = wordsOf(post)
    return words === undefined ? [] : [{ id: post.id, sortAt, words }]
  })
  addPostWords(db, added, stretchPosts)
  pruneIndexedPosts(db, maxPosts)
}

/**
 * Indexes some posts of a new stretch again that are still indexed in another.
 * @returns whether there were any
 */
export function movePosts(db: WriteDb, indexing: PostIndexing, limit: number): boolean {
  const unmoved = takeUnmoved(db, limit)
  const posts = unmoved.map(({ id, period }) => ({ id, was: period * PERIOD_MS }))
  if (posts.length > 0) refreshPostIndex(db, indexing, posts)
  return posts.length > 0
}

function wordsOf({ uid, root, parent, record }: PostToIndex): string | undefined {
  try {
    const parsed: unknown = JSON.parse(record ?? 'null')
    if (typeof parsed !== 'object' || parsed === null) return undefined
    return postTerms({ uid, root, parent, record: parsed as Record<string, unknown> })
  } catch {
    return undefined // the record is as stored by a repository, unchecked
  }
}
