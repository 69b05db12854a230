// State that the indexing files share while one batch is applied: the connection inside its transaction, the
// accounts, the memory changes collected so far, and sums of count changes, which are written once at the
// end, since a popular post is hit many times in a batch.

import type { Collection } from '../../base/atproto/collections.ts'
import type { PackedRkey } from '../../base/atproto/keys.ts'
import type { JsonObject } from '../../base/util/json-object.ts'
import { type ActorReader, type ActorWriter, MEMBER } from '../../data/graph/types.ts'
import {
  takeSeedActorCounts,
  takeSeedPostCounts,
  wasActorRequestedAfter,
  wasPostRequestedAfter,
} from '../../data/store/counts/seed-counts.ts'
import type { WriteDb } from '../../data/store/db.ts'
import { addPostCounts, type PostCounts } from '../../data/store/posts/post-counts.ts'
import { type ActorCounts, addActorCounts, insertActor } from '../../data/store/records/actors.ts'
import type { ColdStartBudget } from './members/cold-start-budget.ts'
import type { MemoryChange } from './memory/memory-changes.ts'
import { keyMadeAt } from './records/record-fields.ts'
import type { TombstoneFilter } from './records/tombstone-filter.ts'

export type IndexScope = 'authors' | 'community' | 'network'

/** A validated record to be stored. */
export type RecordWrite = {
  did: string
  /** The creator's uid, or 0 while unknown. */
  uid: number
  collection: Collection
  rkey: PackedRkey
  cid: Buffer
  cidText: string
  record: JsonObject
  /** Absent if the record is from a listing without a rev. */
  rev: string | undefined
  /** Milliseconds since 1970. */
  createdAt: number
  indexedAt: number
  /** For fetched records: when the fetch began, by our clock. Absent for stream records. */
  fetchedAt: number | undefined
  /** When the record was seen in its repository: the event's time, or the fetch's. Microseconds. */
  seenAtUs: number
  /** The record is to be shown to a member: kept whoever wrote it. */
  isVisible?: boolean | undefined
}

export type RecordRemoval = {
  uid: number
  collection: Collection
  rkey: PackedRkey
  rev: string
  seenAtUs: number
}

/** `applied`, or the reason why not. */
export type Outcome =
  | 'applied'
  | 'duplicate'
  | 'late'
  | 'out-of-scope'
  | 'account-deleted'
  | 'subject-unusable'
  /** The account has as many records for the subject as are kept. */
  | 'too-often'
  | 'wrong-key'
  | 'unknown-key'
  | 'unknown-account'
  | 'bad-cid'
  | 'invalid-record'
  | 'not-indexed'
  /** Applying it failed unexpectedly (commit-sparing.ts). */
  | 'unforeseen'

export type IndexContext = {
  readonly db: WriteDb
  readonly actors: ActorWriter
  /** Scope of records taken now; less than `storedScope` while the disk is too full for strangers. */
  scope: IndexScope
  /** Scope of records kept. */
  readonly storedScope: IndexScope
  /**
   * Strangers' reactions to posts with REACTIONS_PRUNED from before this are gone but still
   * counted; ms.
   */
  prunedBefore: number
  /** DIDs of trusted verifiers: all of their verifications are kept. */
  readonly trustedVerifiers: ReadonlySet<string>
  /** How long notifications of accounts that are no members are kept; 0 keeps none. */
  readonly othersNotifiedMs: number
  /** Whether the latest rev of every account is kept, not only of members. */
  readonly storesAllRevs: boolean
  readonly coldStarts: ColdStartBudget
  readonly tombstones: TombstoneFilter
  /** Our clock at the start of the batch, milliseconds. */
  now: number
  /** Time of the latest stream event; later than `now` if our clock is behind. */
  streamMs: number
  changes: MemoryChange[]
  /** Net follows by members that are in rows but not yet in memory. */
  pendingMemberFollowers: Map<number, number>
  /** When the changes now applied happened, milliseconds; see `postCounts`. */
  happenedAt: number
  postCounts: Map<number, PostCounts>
  actorCounts: Map<number, ActorCounts>
  /** The part of these sums that was already counted elsewhere (data/store/counts/seed-counts.ts). */
  seedPostCounts: Map<number, PostCounts>
  seedActorCounts: Map<number, ActorCounts>
  /** Deleted accounts, whose later events are ignored. */
  deletedAccounts: Set<number>
  /** When accounts were last deleted, in microseconds: anything older stays deleted. */
  removedAt: Map<number, number>
  /** End of a follow list's import, by our clock: see `isImportingFollows`. */
  importingUntil: number
  /** Accounts whose profile and identity are known or requested; bounded, only saves work. */
  knownPeople: Set<number>
}

/**
 * Any account's deletions of follows are remembered during an import, since the list may still have
 * those follows further down.
 */
export function isImportingFollows(ctx: IndexContext, collection: string): boolean {
  return ctx.now < ctx.importingUntil && collection === 'app.bsky.graph.follow'
}

/** Returns the account's uid; a new account gets one now, with its row. */
export function internActor(ctx: IndexContext, did: string): number {
  const known = ctx.actors.uidOf(did)
  if (known !== 0) return known
  const uid = ctx.actors.intern(did)
  insertActor(ctx.db, uid, did, ctx.now)
  return uid
}

/** The same for the account that wrote a record. */
export function internCreator(
  ctx: IndexContext,
  { uid, did }: Pick<RecordWrite, 'uid' | 'did'>,
): number {
  return uid === 0 ? internActor(ctx, did) : uid
}

export function isMember(ctx: IndexContext, uid: number): boolean {
  return uid !== 0 && (ctx.actors.flagsOf(uid) & MEMBER) !== 0
}

/** Whether this is a member or followed by one, by the published state. */
export function isInCircle(
  actors: Pick<ActorReader, 'flagsOf' | 'memberFollowersOf'>,
  uid: number,
): boolean {
  return (actors.flagsOf(uid) & MEMBER) !== 0 || actors.memberFollowersOf(uid) > 0
}

/** The same within a batch: all records of authors are kept. */
export function isAuthor(ctx: IndexContext, uid: number): boolean {
  if (uid === 0) return false
  if ((ctx.actors.flagsOf(uid) & MEMBER) !== 0) return true
  const pending = ctx.pendingMemberFollowers.get(uid) ?? 0
  return ctx.actors.memberFollowersOf(uid) + pending > 0
}

/** Whether this account is deleted, or was deleted after the given time. */
export function isOfDeletedAccount(
  ctx: IndexContext,
  { uid, seenAtUs }: { uid: number; seenAtUs: number },
): boolean {
  if (ctx.deletedAccounts.has(uid)) return true
  const removedAt = ctx.removedAt.get(uid)
  return removedAt !== undefined && seenAtUs <= removedAt
}

/**
 * A creation time in the future, or none at all, is replaced by the time of the key, on which stream
 * and fetch agree.
 */
export function sortAtOf({ createdAt, indexedAt, rkey, record }: RecordWrite): number {
  const isClaimed = record['createdAt'] !== undefined
  if (isClaimed && createdAt <= indexedAt) return createdAt
  return keyMadeAt(rkey, indexedAt) ?? indexedAt
}

/**
 * Whether the stored sort time is earlier than the record can have been made, as the stream shows:
 * it was fetched while our clock was behind, ahead of the stream.
 */
export function isTooEarly(row: { sort_at: number | null }, write: RecordWrite): boolean {
  return write.fetchedAt === undefined && (row.sort_at ?? 0) < sortAtOf(write)
}

/** Whether a follow or block by this account is kept. */
export function isTieStored(ctx: IndexContext, uid: number, subjectDid: string): boolean {
  if (ctx.scope === 'network' || isAuthor(ctx, uid)) return true
  return ctx.scope === 'community' && isAuthor(ctx, ctx.actors.uidOf(subjectDid))
}

/** Whether a row already has the written content; a listing says nothing new about the time. */
export function isSameEdge(
  row: { subject: number; sortAt: number },
  written: { subject: number; sortAt: number },
  write: RecordWrite,
): boolean {
  if (row.subject !== written.subject) return false
  return row.sortAt === written.sortAt || write.rev === undefined
}

export function recordJson(write: RecordWrite): Buffer {
  return Buffer.from(JSON.stringify(write.record))
}

/** Sums to add to this post's counts; change them in place. */
export function postCounts(ctx: IndexContext, post: number): PostCounts {
  const wasCounted = wasPostRequestedAfter(ctx.db, post, ctx.happenedAt)
  const counts = wasCounted ? ctx.seedPostCounts : ctx.postCounts
  const found = counts.get(post)
  if (found) return found
  const sums = { likes: 0, reposts: 0, replies: 0, quotes: 0 }
  counts.set(post, sums)
  return sums
}

/** Sums to add to this account's counts; change them in place. */
export function actorCounts(ctx: IndexContext, uid: number): ActorCounts {
  const wasCounted = wasActorRequestedAfter(ctx.db, uid, ctx.happenedAt)
  const counts = wasCounted ? ctx.seedActorCounts : ctx.actorCounts
  const found = counts.get(uid)
  if (found) return found
  const sums = { follows: 0, followers: 0, posts: 0 }
  counts.set(uid, sums)
  return sums
}

/** Writes the sums, at the end of the transaction. */
export function flushCounts(ctx: IndexContext): void {
  for (const [post, sums] of ctx.postCounts) addPostSums(ctx, post, sums)
  for (const [uid, sums] of ctx.actorCounts) addActorSums(ctx, uid, sums)
  for (const [post, sums] of ctx.seedPostCounts) {
    if (addPostSums(ctx, post, sums)) takeSeedPostCounts(ctx.db, post, sums)
  }
  for (const [uid, sums] of ctx.seedActorCounts) {
    if (addActorSums(ctx, uid, sums)) takeSeedActorCounts(ctx.db, uid, sums)
  }
  dropCounts(ctx)
}

/** Drops the sums without writing them, after a rollback. */
export function dropCounts(ctx: IndexContext): void {
  ctx.postCounts.clear()
  ctx.actorCounts.clear()
  ctx.seedPostCounts.clear()
  ctx.seedActorCounts.clear()
}

/** Drops the sums of a post whose row is gone. */
export function dropCountsOfPost(ctx: IndexContext, post: number): void {
  ctx.postCounts.delete(post)
  ctx.seedPostCounts.delete(post)
}

/** @returns whether there was anything to add */
function addPostSums(ctx: IndexContext, post: number, sums: PostCounts): boolean {
  if (!(sums.likes || sums.reposts || sums.replies || sums.quotes)) return false
  addPostCounts(ctx.db, post, sums)
  return true
}

function addActorSums(ctx: IndexContext, uid: number, sums: ActorCounts): boolean {
  if (!(sums.follows || sums.followers || sums.posts)) return false
  addActorCounts(ctx.db, uid, sums)
  return true
}
