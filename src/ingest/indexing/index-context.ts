// What the files of this room share while one batch is applied: the connection inside its
// transaction, the accounts, the memory changes collected so far, and sums of count changes, which
// are written once at the end, since a popular post is hit many times in a batch.

import type { Collection } from '../../base/atproto/collections.ts'
import type { PackedRkey } from '../../base/atproto/keys.ts'
import type { JsonObject } from '../../base/event.ts'
import { type ActorReader, type ActorWriter, MEMBER } from '../../data/graph/types.ts'
import { type ActorCounts, addActorCounts, insertActor } from '../../data/store/actors.ts'
import type { WriteDb } from '../../data/store/db.ts'
import { addPostCounts, type PostCounts } from '../../data/store/post-counts.ts'
import {
  takeSeedActorCounts,
  takeSeedPostCounts,
  wasActorAskedAfter,
  wasPostAskedAfter,
} from '../../data/store/seed-counts.ts'
import type { ColdStartBudget } from './cold-start-budget.ts'
import type { MemoryChange } from './memory-changes.ts'
import { keyMadeAt } from './record-times.ts'
import type { TombstoneFilter } from './tombstone-filter.ts'

export type IndexScope = 'authors' | 'community' | 'network'

/** A validated record to be stored. */
export type RecordWrite = {
  did: string
  /** The creator's uid, or 0 while they are unknown. */
  uid: number
  collection: Collection
  rkey: PackedRkey
  cid: Buffer
  cidText: string
  record: JsonObject
  /** Absent where the record came from a listing that names none. */
  rev: string | undefined
  /** Milliseconds since 1970. */
  createdAt: number
  indexedAt: number
  /** For fetched records: when the fetch began, by our clock. Absent on the stream. */
  fetchedAt: number | undefined
  /** When the record was seen in its repository: the event's time, or the fetch's. Microseconds. */
  seenAtUs: number
  /** It is to be shown to a member: kept whoever wrote it. */
  isShown?: boolean | undefined
}

export type RecordRemoval = {
  uid: number
  collection: Collection
  rkey: PackedRkey
  rev: string
  seenAtUs: number
}

/** `applied`, or why not. */
export type Outcome =
  | 'applied'
  | 'duplicate'
  | 'late'
  | 'out-of-scope'
  | 'account-deleted'
  | 'subject-unusable'
  | 'wrong-key'
  | 'unknown-key'
  | 'unknown-account'
  | 'bad-cid'
  | 'invalid-record'
  | 'not-indexed'
  /** Applying it failed in a way that nobody foresaw (commit-sparing.ts). */
  | 'unforeseen'

export type IndexContext = {
  readonly db: WriteDb
  readonly actors: ActorWriter
  /** What is taken now; less than `keptScope` while the disk is too full for strangers. */
  scope: IndexScope
  /** What is kept. */
  readonly keptScope: IndexScope
  /** Strangers' reactions to posts with REACTIONS_PRUNED from before this are gone, and counted; ms. */
  prunedBefore: number
  /** DIDs whose word counts as to who is whom: all of their verifications are kept. */
  readonly trustedVerifiers: ReadonlySet<string>
  /** For how long it is kept what accounts that are no members are told of; 0: nothing is. */
  readonly othersToldMs: number
  readonly coldStarts: ColdStartBudget
  readonly tombstones: TombstoneFilter
  /** Our clock at the start of the batch, milliseconds. */
  now: number
  /** Of the latest event of the stream; later than `now` where our clock is behind. */
  streamMs: number
  changes: MemoryChange[]
  /** Follows by members that are in rows but not yet in memory. */
  pendingMemberFollowers: Map<number, number>
  /** When what is applied now happened, milliseconds; see `postCounts`. */
  happenedAt: number
  postCounts: Map<number, PostCounts>
  actorCounts: Map<number, ActorCounts>
  /** Of these sums, what was counted elsewhere before (data/store/seed-counts.ts). */
  seedPostCounts: Map<number, PostCounts>
  seedActorCounts: Map<number, ActorCounts>
  /** Deleted accounts: what still comes of them is ignored. */
  deletedAccounts: Set<number>
  /** When accounts were last deleted, in microseconds: what is older stays gone. */
  removedAt: Map<number, number>
  /** Until then, by our clock, a list of follows is being imported: see `isImportingFollows`. */
  importingUntil: number
  /** Accounts whose profile and identity are known or asked for; bounded, only saves work. */
  knownPeople: Set<number>
}

/**
 * Deletions of follows by anybody at all are remembered while a list is being imported, which may have
 * them further down.
 */
export function isImportingFollows(ctx: IndexContext, collection: string): boolean {
  return ctx.now < ctx.importingUntil && collection === 'app.bsky.graph.follow'
}

/** The account's uid; given out now, with its row, if it is new. */
export function internActor(ctx: IndexContext, did: string): number {
  const known = ctx.actors.uidOf(did)
  if (known !== 0) return known
  const uid = ctx.actors.intern(did)
  insertActor(ctx.db, uid, did, ctx.now)
  return uid
}

export function isMember(ctx: IndexContext, uid: number): boolean {
  return uid !== 0 && (ctx.actors.flagsOf(uid) & MEMBER) !== 0
}

/** Whether this is a member or followed by one, by what is published. */
export function isInCircle(actors: ActorReader, uid: number): boolean {
  return (actors.flagsOf(uid) & MEMBER) !== 0 || actors.memberFollowersOf(uid) > 0
}

/** The same within a batch: everything of theirs is kept. */
export function isAuthor(ctx: IndexContext, uid: number): boolean {
  if (uid === 0) return false
  if ((ctx.actors.flagsOf(uid) & MEMBER) !== 0) return true
  const pending = ctx.pendingMemberFollowers.get(uid) ?? 0
  return ctx.actors.memberFollowersOf(uid) + pending > 0
}

/** Whether this account is deleted, or was so after what is now told of it. */
export function isOfDeletedAccount(
  ctx: IndexContext,
  { uid, seenAtUs }: { uid: number; seenAtUs: number },
): boolean {
  if (ctx.deletedAccounts.has(uid)) return true
  const removedAt = ctx.removedAt.get(uid)
  return removedAt !== undefined && seenAtUs <= removedAt
}

/** What claims the future stands where it was written, which its copies from the stream and a fetch agree on. */
export function sortAtOf({ createdAt, indexedAt, rkey }: RecordWrite): number {
  if (createdAt <= indexedAt) return createdAt
  return keyMadeAt(rkey, indexedAt) ?? indexedAt
}

/**
 * Whether the stream brings what is here at an earlier time than it can have been made: it was
 * fetched while our clock was behind, before the stream had come to it.
 */
export function isTooEarly(row: { sort_at: number | null }, write: RecordWrite): boolean {
  return write.fetchedAt === undefined && (row.sort_at ?? 0) < sortAtOf(write)
}

/** Whether a follow or block of this account is kept. */
export function isTieKept(ctx: IndexContext, uid: number, subjectDid: string): boolean {
  if (ctx.scope === 'network' || isAuthor(ctx, uid)) return true
  return ctx.scope === 'community' && isAuthor(ctx, ctx.actors.uidOf(subjectDid))
}

/** Whether a row already says what is written; a listing tells nothing new about the time. */
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

/** Sums to be added to this post's counts; change them in place. */
export function postCounts(ctx: IndexContext, post: number): PostCounts {
  const wasCounted = wasPostAskedAfter(ctx.db, post, ctx.happenedAt)
  const counts = wasCounted ? ctx.seedPostCounts : ctx.postCounts
  const found = counts.get(post)
  if (found) return found
  const sums = { likes: 0, reposts: 0, replies: 0, quotes: 0 }
  counts.set(post, sums)
  return sums
}

/** Sums to be added to this account's counts; change them in place. */
export function actorCounts(ctx: IndexContext, uid: number): ActorCounts {
  const wasCounted = wasActorAskedAfter(ctx.db, uid, ctx.happenedAt)
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

/** Without writing them: after a rollback. */
export function dropCounts(ctx: IndexContext): void {
  ctx.postCounts.clear()
  ctx.actorCounts.clear()
  ctx.seedPostCounts.clear()
  ctx.seedActorCounts.clear()
}

/** The post's row is gone. */
export function dropCountsOfPost(ctx: IndexContext, post: number): void {
  ctx.postCounts.delete(post)
  ctx.seedPostCounts.delete(post)
}

/** @returns whether there was anything to add. */
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
