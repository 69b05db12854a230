// The narrow faces of the graph room. Behind each stand the shared-memory implementation and a
// plain in-memory twin; one contract suite holds both to the same behaviour.
//
// There is one writer (the ingest thread) and any number of reading threads. A reader never sees
// half a change. `uid` is our dense integer for a DID, from 1; 0 means "nobody".

/** DID ⇄ uid, and a few bits about each account. */
export interface ActorReader {
  /** Highest uid given out. */
  readonly count: number
  /** The account's uid, or 0 where it is not known. */
  uidOf(did: string): number
  /** @throws InvariantError where the uid was never given out. */
  didOf(uid: number): string
  /** 32 bits of the account's DID, the same on every server and for ever: draws are made of them. */
  hashOf(uid: number): number
  /** ActorFlag bits. */
  flagsOf(uid: number): number
  /** How many members follow this account. */
  memberFollowersOf(uid: number): number
  /** Accounts with the CELEBRITY bit, ascending; looked for anew only after that bit was moved. */
  celebrities(): readonly number[]
}

export interface ActorWriter extends ActorReader {
  /** `uidOf` a did:plc, 32 ASCII characters from `at`, that nobody has made a string of. */
  uidOfPlc(bytes: Uint8Array, at: number): number
  /** The account's uid, given out now if it is new (then it is `count`). */
  intern(did: string): number
  /** Takes back every uid above `count`: the transaction that stored them was rolled back. */
  truncate(count: number): void
  setFlags(uid: number, flags: number): void
  addMemberFollowers(uid: number, delta: number): void
}

/** Reads here. */
export const MEMBER = 1
/** Posts are merged at read time, not fanned out. */
export const CELEBRITY = 2
/** Account state hides everything of theirs (deactivated, suspended, taken down, deleted). */
export const HIDDEN = 4

/**
 * Lists are in one fixed order of all accounts (uid-order.ts), the same for every list and for ever:
 * a page goes on exactly where the last one ended, whatever was added or removed meanwhile. `after`
 * is the last uid of the page before, or 0; it need not be in the list (any more).
 */
export interface FollowGraphReader {
  /** Distinct (creator, subject) pairs held. */
  readonly edgeCount: number
  has(creator: number, subject: number): boolean
  followsCount(creator: number): number
  followersCount(subject: number): number
  /**
   * Writes to `out` the accounts that `creator` follows, in order, from behind `after`.
   * @returns how many were written; fewer than `out.length` means the end.
   */
  follows(creator: number, after: number, out: Uint32Array): number
  /** Like `follows`, for the accounts that follow `subject`. */
  followers(subject: number, after: number, out: Uint32Array): number
  /**
   * Social proof: those whom `viewer` follows and who follow `subject`, in order, from behind
   * `after`. Stops as soon as `out` is full.
   */
  knownFollowers(viewer: number, subject: number, after: number, out: Uint32Array): number
  knownFollowersCount(viewer: number, subject: number): number
}

export interface FollowGraphWriter extends FollowGraphReader {
  /** @returns false where the pair was there already. */
  add(creator: number, subject: number): boolean
  /** @returns false where the pair was not there. */
  remove(creator: number, subject: number): boolean
}

/** One that is empty yet, and read by nobody. */
export interface NewFollowGraph extends FollowGraphWriter {
  /** Takes whole lists of follows at once: see SharedFollowGraph. */
  build(lists: Iterable<[creator: number, subjects: Uint32Array]>, highestUid: number): void
}
