// The narrow interfaces of the graph. Each has a shared-memory implementation and a plain in-memory twin; one
// contract suite tests both.
//
// There is one writer and any number of reading threads. A reader never sees half a change. `uid` is a dense
// integer for an account, from 1; 0 means none.

/**
 * Lists are in one fixed order of all accounts (uid-order.ts), permanent and the same for every
 * list: a page continues exactly where the last one ended, whatever was added or removed meanwhile.
 * `after` is the last uid of the previous page, or 0; it need not be in the list (any more).
 */
export interface FollowGraphReader {
  /** Distinct (creator, subject) pairs. */
  readonly edgeCount: number
  has(creator: number, subject: number): boolean
  followsCount(creator: number): number
  followersCount(subject: number): number
  /**
   * Writes to `out` the accounts that `creator` follows, in order, from behind `after`.
   * @returns how many were written; fewer than `out.length` means the end
   */
  follows(creator: number, after: number, out: Uint32Array): number
  /** Like `follows`, for the accounts that follow `subject`. */
  followers(subject: number, after: number, out: Uint32Array): number
  /**
   * Social proof: the accounts that `viewer` follows and that follow `subject`, in order, from
   * behind `after`. Stops as soon as `out` is full.
   */
  knownFollowers(viewer: number, subject: number, after: number, out: Uint32Array): number
  knownFollowersCount(viewer: number, subject: number): number
}

/** Follows and unfollows in order; only the first `count` places are valid. */
export type EdgeRun = {
  readonly creators: Int32Array
  readonly subjects: Int32Array
  /** 1 for a follow, 0 for an unfollow. */
  readonly added: Uint8Array
  readonly count: number
}

export interface FollowGraphWriter extends FollowGraphReader {
  /** @returns false if the pair was present */
  add(creator: number, subject: number): boolean
  /** @returns false if the pair was absent */
  remove(creator: number, subject: number): boolean
  /**
   * Makes the changes of a run in their order, each as `add` and `remove` do, but faster. Readers of
   * the accounts involved wait for the whole run.
   */
  changeAll(run: EdgeRun): void
}

/** A graph that is still empty and has no readers. */
export interface NewFollowGraph extends FollowGraphWriter {
  /** Adds whole lists of follows at once: see SharedFollowGraph. */
  build(lists: Iterable<[creator: number, subjects: Uint32Array]>, highestUid: number): void
}
