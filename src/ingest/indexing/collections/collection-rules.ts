// The rules that every record type must define: one file per type, all listed in all-rules.ts, so that an
// incomplete type does not compile. Also holds the rules that several types share.

import type { CommitEvent, UnreadCommit } from '@slipstream/jetstream'
import type { PackedRkey } from '../../../base/atproto/keys.ts'
import type { Db } from '../../../data/store/db.ts'
import {
  type IndexContext,
  isAuthor,
  type Outcome,
  type RecordRemoval,
  type RecordWrite,
} from '../index-context.ts'
import { authorityOf, subjectUri } from '../records/record-fields.ts'
import type { Step } from '../retention/step.ts'

export type CollectionRules = {
  /** Stores a validated record that is not late. */
  put(ctx: IndexContext, write: RecordWrite): Outcome
  /** @returns whether there was a record to remove */
  remove(ctx: IndexContext, removal: RecordRemoval): boolean
  /**
   * Whether a stranger's record can't be kept. True only if that is certain without reading rows.
   */
  isFar(ctx: IndexContext, uid: number, write: Pick<StrangersWrite, 'record' | 'did'>): boolean
  /**
   * The same for an unparsed commit, where any DID in it counts as one that matters: it may say no
   * where `isFar` says yes, never the reverse.
   */
  isFarUnread(ctx: IndexContext, uid: number, commit: UnreadCommit): boolean
  /**
   * Removes a deleted account's next records, for types that may have very many. @returns how many
   * were removed
   */
  removeSome?(ctx: IndexContext, uid: number, limit: number): number
  /** Removes all that is left of a deleted account. */
  removeAll(ctx: IndexContext, uid: number): void
  /** Drops records of a former author that would not be kept for a stranger. */
  release: readonly Step[]
  /**
   * Yields the account's stored keys, in no order, about `size` per page; rows may change between
   * pages.
   */
  storedKeys(db: Db, of: { uid: number; size: number }): Generator<PackedRkey[]>
  /**
   * The group of collections it is read with from an author's repository (ingest/backfill/); records
   * that are read `singly` are listed only to see which of those here are gone.
   */
  readWith: 'profile' | 'feed' | 'follows' | 'blocks' | 'lists' | 'records' | 'singly'
}

type StrangersWrite = Exclude<CommitEvent, { operation: 'delete' }>

export const isOfNobodyKnown: CollectionRules['isFar'] = (_ctx, uid) => uid === 0

export const isAboutFarPost: CollectionRules['isFar'] = (ctx, _uid, { record }) =>
  ctx.scope === 'authors' || uidOf(ctx, authorityOf(subjectUri(record))) === 0

export const isAboutFarAccount: CollectionRules['isFar'] = (ctx, _uid, { record }) =>
  ctx.scope === 'authors' || !isAuthor(ctx, uidOf(ctx, record['subject']))

/** The creator is unknown, and so is every account the commit names. */
export const isUnreadStrangers: CollectionRules['isFarUnread'] = (ctx, uid, commit) =>
  uid === 0 && namesNone(ctx, commit, isKnown)

export const isUnreadReaction: CollectionRules['isFarUnread'] = (ctx, _uid, commit) =>
  ctx.scope === 'authors' || namesNone(ctx, commit, isKnown)

export const isUnreadRelation: CollectionRules['isFarUnread'] = (ctx, _uid, commit) =>
  ctx.scope === 'authors' || namesNone(ctx, commit, isAuthor)

export function isKnown(_ctx: IndexContext, uid: number): boolean {
  return uid !== 0
}

export function namesNone(
  ctx: IndexContext,
  { bytes, accountsAt }: UnreadCommit,
  concerns: (ctx: IndexContext, uid: number) => boolean,
): boolean {
  for (let i = 0; i < accountsAt.length; i++) {
    if (concerns(ctx, ctx.actors.uidOfPlc(bytes, accountsAt[i]!))) return false
  }
  return true
}

export function uidOf(ctx: IndexContext, did: unknown): number {
  return typeof did === 'string' ? ctx.actors.uidOf(did) : 0
}
