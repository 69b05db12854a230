// A feed item is a post or a repost; both fit one 32-bit number: the row's id, and in the lowest
// bit which of the two tables it stands in.

import { assert } from '../../base/util/assert.ts'

const MAX_ROW_ID = 2 ** 31 - 1

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
