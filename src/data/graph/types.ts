// The narrow interfaces of the accounts. There is one writer (the ingest thread) and any number of reading
// threads. `uid` is our dense integer for a DID, from 1; 0 means no account.

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
   * Changes, after the bits, whenever an account gets its first member follower, and whenever one
   * that has some is hidden or shown again.
   */
  readonly authorMoves: number
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
