// The accounts that a viewer follows and that like a post: all of them, in the order of their likes, newest
// first. A member follows nobody whom no member follows, so the likers that members follow serve every member:
// they are few, and may be cached until `moves` changes or one of them likes the post or no longer does.
// Accounts that are hidden do not count.

import type { FollowGraphReader } from '@slipstream/follow-graph'
import { BoundedByBytes } from '../../base/util/lru.ts'
import { type ActorReader, HIDDEN, MEMBER } from '../../data/graph/types.ts'
import type { Db } from '../../data/store/db.ts'
import { likeEdges } from '../../data/store/edges/all-edges.ts'
import type { KnownLikers } from './types.ts'

/** How many a post shows, as in the reference. */
export const PRESENTED_LIKERS = 3
/** Enough that blocks and mutes leave some to show. */
const NAMED_LIKERS = 12

export type KnownLikersReader = ReturnType<typeof createKnownLikers>

export function createKnownLikers({
  db,
  actors,
  graph,
}: {
  db: Db
  actors: ActorReader
  graph: Pick<FollowGraphReader, 'has' | 'followsCount'>
}) {
  const isFollowedByMembers = (uid: number) => actors.memberFollowersOf(uid) > 0
  const isVisible = (uid: number) => (actors.flagsOf(uid) & HIDDEN) === 0
  const isMember = (viewer: number) => (actors.flagsOf(viewer) & MEMBER) !== 0

  return {
    isMember,
    isFollowedByMembers,

    /** Load this before lists are read: they are valid while it stays the same. */
    moves: () => actors.authorMoves,

    /**
     * By posts.id: the likers that members follow, newest first; posts without any are omitted. Of
     * the posts that are then in `cut` only the newest likes were read.
     */
    lists: (posts: readonly number[], cut: Set<number>) =>
      likeEdges.accountsOfEach(db, posts, (uid) => isFollowedByMembers(uid) && isVisible(uid), cut),

    /** @param likers - of a list, for a viewer that is a member */
    among: (viewer: number, likers: readonly number[], most?: number): KnownLikers =>
      named(
        likers.filter((uid) => graph.has(viewer, uid)),
        most,
      ),

    /** By posts.id, read from rows, for any viewer; posts without any are omitted. */
    of(viewer: number, posts: readonly number[], most?: number): Map<number, KnownLikers> {
      const found = new Map<number, KnownLikers>()
      if (viewer === 0 || posts.length === 0 || graph.followsCount(viewer) === 0) return found
      const isOfMember = isMember(viewer)
      const isKnown = (uid: number) =>
        (!isOfMember || isFollowedByMembers(uid)) && graph.has(viewer, uid) && isVisible(uid)
      for (const [post, uids] of likeEdges.accountsOfEach(db, posts, isKnown)) {
        found.set(post, named(uids, most))
      }
      return found
    },
  }
}

/** A copy takes no more memory than it needs; an array that grew has room for seventeen. */
function named(uids: readonly number[], most = NAMED_LIKERS): KnownLikers {
  return { count: uids.length, uids: uids.slice(0, most) }
}

export type LikerList = { readonly uids: readonly number[]; readonly bytes: number }

/** Of some 80,000 posts. */
const MAX_BYTES = 8 << 20
const ENTRY_BYTES = 100
const UID_BYTES = 8

/** Shared by all posts that nobody likes whom members follow: most. */
export const NO_LIKERS: LikerList = { uids: [], bytes: ENTRY_BYTES }

/**
 * The likers of posts that members follow, newest first, shared by all viewers of this thread. A
 * list is dropped when one of them likes the post or no longer does, and all are when there are more
 * accounts that members follow. Bounded by bytes.
 */
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
      if (!cut.has(post)) this.#lists.add(post, read)
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
  return uids ? { uids: uids.slice(), bytes: ENTRY_BYTES + uids.length * UID_BYTES } : NO_LIKERS
}
