// The likers of posts that members follow, newest first, shared by all viewers of this thread
// (hydrate/known-likers.ts). A list is dropped when one of them likes the post or no longer does, and all are when
// there are more accounts that members follow. Bounded by bytes.

import { BoundedByBytes } from '../../base/util/bounded-by-bytes.ts'
import type { KnownLikersReader } from '../hydrate/known-likers.ts'

export type LikerList = { readonly uids: readonly number[]; readonly bytes: number }

/** Of some 80,000 posts. */
const MAX_BYTES = 8 << 20
const ENTRY_BYTES = 100
const UID_BYTES = 8

/** Shared by all posts that nobody likes whom members follow: most. */
export const NO_LIKERS: LikerList = { uids: [], bytes: ENTRY_BYTES }

export class LikerLists {
  readonly #lists = new BoundedByBytes<LikerList>(MAX_BYTES)
  readonly #reader: KnownLikersReader
  #moves: number
  #changes = 0

  constructor(reader: KnownLikersReader) {
    this.#reader = reader
    this.#moves = reader.moves()
  }

  /** Called before lists are used, and before rows are read for them. */
  refresh(): void {
    const moves = this.#reader.moves()
    if (moves === this.#moves) return
    this.#moves = moves
    this.forgetAll()
  }

  /** Goes up whenever a list may have been forgotten, but not when one is evicted. */
  get changes(): number {
    return this.#changes
  }

  get(post: number): LikerList | undefined {
    return this.#lists.find(post)
  }

  /**
   * Reads the lists that are not cached. Where many long ones are read at once, some are cut: those
   * are not cached, so that the next call reads more of them.
   * @returns all of them, in order
   */
  read(posts: readonly number[]): LikerList[] {
    const cached = posts.map((post) => this.get(post))
    const cut = new Set<number>()
    const missing = posts.filter((_, i) => cached[i] === undefined)
    const found = this.#reader.lists(missing, cut)
    return cached.map((list, i) => {
      if (list) return list
      const post = posts[i]!
      const read = listOf(found.get(post))
      if (!cut.has(post)) this.#lists.keep(post, read)
      return read
    })
  }

  /** The account likes the post, or no longer does. */
  forget(uid: number, post: number): void {
    // If it only now becomes one that members follow, all lists are dropped.
    if (!this.#reader.isFollowedByMembers(uid)) return
    this.#lists.forget(post)
    this.#changes++
  }

  /** Likes of the account were removed. */
  forgetAllOf(uid: number): void {
    if (this.#reader.isFollowedByMembers(uid)) this.forgetAll()
  }

  forgetAll(): void {
    this.#lists.forgetAll()
    this.#changes++
  }
}

function listOf(uids: readonly number[] | undefined): LikerList {
  return uids ? { uids, bytes: ENTRY_BYTES + uids.length * UID_BYTES } : NO_LIKERS
}
