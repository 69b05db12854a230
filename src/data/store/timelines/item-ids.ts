// A feed item is a post or a repost, as one number of 38 bits: the row's id and, in the lowest bit, its
// table.

import { assert } from '../../../base/util/assert.ts'

/** Limit of a timeline entry (timeline/entry-words.ts): ninety years of the network's posts. */
const MAX_ROW_ID = 2 ** 37 - 1

export function postItem(postId: number): number {
  assert(postId <= MAX_ROW_ID, 'posts.id no longer fits a feed item')
  return postId * 2
}

export function repostItem(repostId: number): number {
  assert(repostId <= MAX_ROW_ID, 'reposts.id no longer fits a feed item')
  return repostId * 2 + 1
}

export function isRepostItem(item: number): boolean {
  return item % 2 === 1
}

export function rowIdOf(item: number): number {
  return Math.floor(item / 2)
}
