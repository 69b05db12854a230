// What has to be said of a record type: one file a type says it, and all-rules.ts names them all, so that a type of
// which something is left unsaid does not compile. Here are also the answers that several types share.

import type { PackedRkey } from '../../../base/atproto/keys.ts'
import type { CommitEvent, UnreadCommit } from '../../../base/event.ts'
import type { Db } from '../../../data/store/db.ts'
import {
  type IndexContext,
  isAuthor,
  type Outcome,
  type RecordRemoval,
  type RecordWrite,
} from '../index-context.ts'
import { subjectUri } from '../record-fields.ts'
import { authorityOf } from '../record-keys.ts'
import type { Step } from '../retention/step.ts'

export type CollectionRules = {
  /** A validated record that does not come late. */
  put(ctx: IndexContext, write: RecordWrite): Outcome
  /** @returns whether something was there */
  remove(ctx: IndexContext, removal: RecordRemoval): boolean
  /** Whether nothing of a stranger's can be kept. Only where that is certain without a look at rows. */
  isFar(ctx: IndexContext, uid: number, write: Pick<StrangersWrite, 'record' | 'did'>): boolean
  /**
   * The same of a commit that nobody has parsed, where all DIDs in it stand for the few that matter: so it may say
   * no where `isFar` says yes, never the reverse.
   */
  isFarUnread(ctx: IndexContext, uid: number, commit: UnreadCommit): boolean
  /** Of a deleted account: the next of its records, where it may have very many. @returns how many went */
  removeSome?(ctx: IndexContext, uid: number, limit: number): number
  /** Of a deleted account: all that is left. */
  removeAll(ctx: IndexContext, uid: number): void
  /** Of an account that is no author any more: what a stranger's would not be kept for goes. */
  release: readonly Step[]
  /** Which keys of the account's are stored, in no order, about `size` a page; rows may change between pages. */
  storedKeys(db: Db, of: { uid: number; size: number }): Generator<PackedRkey[]>
  /** With which others it is read from an author's repository (ingest/backfill/). */
  readWith: 'profile' | 'feed' | 'follows' | 'blocks' | 'lists' | 'records'
}

type StrangersWrite = Exclude<CommitEvent, { operation: 'delete' }>

export const isOfNobodyKnown: CollectionRules['isFar'] = (_ctx, uid) => uid === 0

export const isAboutFarPost: CollectionRules['isFar'] = (ctx, _uid, { record }) =>
  ctx.scope === 'authors' || uidOf(ctx, authorityOf(subjectUri(record))) === 0

export const isAboutFarAccount: CollectionRules['isFar'] = (ctx, _uid, { record }) =>
  ctx.scope === 'authors' || !isAuthor(ctx, uidOf(ctx, record['subject']))

/** Of somebody unknown, naming nobody known. */
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
