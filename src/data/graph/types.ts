// The narrow interfaces of the graph. Each has a shared-memory implementation and a plain in-memory twin; one
// contract suite tests both.
//
// There is one writer (the ingest thread) and any number of reading threads. A reader never sees half a
// change. `uid` is our dense integer for a DID, from 1; 0 means no account.

/** DID ⇄ uid, and a few bits per account. */
export interface ActorReader {
  /** Highest uid assigned. */
  readonly count: number
  /** The account's uid, or 0 if it is unknown. */
  uidOf(did: string): number
  /** @throws InvariantError if the uid was never assigned */
  didOf(uid: number): string
  /**
   * 32 bits derived from the account's DID, the same on every server and permanent: draws are based
   * on them.
   */
  hashOf(uid: number): number
  /** ActorFlag bits. */
  flagsOf(uid: number): number
  /** Number of members that follow this account. */
  memberFollowersOf(uid: number): number
  /**
   * Accounts with the CELEBRITY bit, ascending; searched again only after that bit changed
   * somewhere.
   */
  celebrities(): readonly number[]
}

export interface ActorWriter extends ActorReader {
  /**
   * Like `uidOf`, for a did:plc given as 32 ASCII bytes from `at`, without making a string of it.
   */
  uidOfPlc(bytes: Uint8Array, at: number): number
  /** The account's uid, assigned now if it is new (then it equals `count`). */
  intern(did: string): number
  /** Takes back every uid above `count`, since the transaction that stored them was rolled back. */
  truncate(count: number): void
  setFlags(uid: number, flags: number): void
  addMemberFollowers(uid: number, delta: number): void
}

/** The account reads on this server. */
export const MEMBER = 1
/** Its posts are merged at read time, not fanned out. */
export const CELEBRITY = 2
/** The account's status hides all its records (deactivated, suspended, taken down, deleted). */
export const HIDDEN = 4

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
