// Applies one commit of the writer: a batch of the stream with the cursor it advances to, or records fetched
// from a repository. A bad record is left out and counted, the others stay. Of each, a cheap check comes first: can it
// matter here at all? Then come its lexicon and its lateness, and the rules of its collection write or remove it.

import type {
  CommitEvent,
  StreamCursor,
  StreamEvent,
  StreamGap,
  StreamItem,
  UnreadCommit,
} from '@slipstream/jetstream'
import { type Collection, isIndexed } from '../../base/atproto/collections.ts'
import { packCid, packRkey } from '../../base/atproto/keys.ts'
import { raiseActorRev } from '../../data/store/records/actors.ts'
import { putStreamCursor } from '../../data/store/stream/stream-cursors.ts'
import { applyAccount, bringBack } from './account.ts'
import { applyGap } from './account-gaps.ts'
import { allRules } from './collections/all-rules.ts'
import { type BatchOutcome, commitSparing } from './commit-sparing.ts'
import { applyIdentity } from './identity.ts'
import {
  type IndexContext,
  internActor,
  isAuthor,
  isImportingFollows,
  isMember,
  isOfDeletedAccount,
  type Outcome,
  type RecordRemoval,
  type RecordWrite,
} from './index-context.ts'
import { isTombstoned, laterRev, writeTombstone } from './lateness.ts'
import { type FetchedRecords, toWrites } from './records/fetched-records.ts'
import { storeVisible } from './records/post-rows.ts'
import { parseCreatedAt } from './records/record-fields.ts'
import { applySync } from './sync.ts'
import { isValidRecord } from './validation/validate.ts'
import type { Writer } from './writer.ts'

type EventBatch = {
  events: StreamItem[]
  /** The stream's cursor after these events. */
  cursor?: StreamCursor
  gaps?: StreamGap[]
}

export function applyBatch(
  ctx: IndexContext,
  { events, cursor, gaps = [] }: EventBatch,
): BatchOutcome {
  const tally = createTally()
  applyEvents(ctx, events, tally.count)
  if (cursor) noteCursor(ctx, cursor)
  for (const gap of gaps) applyGap(ctx, gap)
  return tally.result()
}

/**
 * Commits a batch in its own transaction, together with `also`; leaves out events that can't be
 * applied.
 */
export function commitBatch(
  writer: Writer,
  batch: EventBatch,
  also: (ctx: IndexContext) => void = () => undefined,
): BatchOutcome {
  return commitSparing(writer, batch.events, (ctx, events, isComplete) => {
    if (isComplete) also(ctx)
    return applyBatch(ctx, isComplete ? { ...batch, events } : { events })
  })
}

/** Applies records fetched from a repository. */
export function applyFetched(ctx: IndexContext, fetched: FetchedRecords): BatchOutcome {
  const { actors, db } = ctx
  const tally = createTally()
  for (const write of toWrites(fetched, ctx, tally.count)) {
    if (fetched.isVisible) storeVisible(ctx, write)
    tally.count(applyWrite(ctx, { ...write, uid: actors.uidOf(write.did) }, false))
  }
  const uid = actors.uidOf(fetched.did)
  if (fetched.repoRev && uid !== 0) raiseActorRev(db, uid, fetched.repoRev)
  return tally.result()
}

function applyEvents(
  ctx: IndexContext,
  items: StreamItem[],
  count: (outcome: Outcome) => void,
): void {
  const revs = new Map<number, string>()
  for (const item of items) {
    const event = item.kind === 'unread' ? readWhereNear(ctx, item) : item
    if (typeof event === 'string') {
      count(event)
      continue
    }
    if (event.kind !== 'commit') {
      count(applyOther(ctx, event))
      continue
    }
    const uid = ctx.actors.uidOf(event.did)
    if (ctx.deletedAccounts.has(uid)) bringBack(ctx, uid, event)
    count(applyCommit(ctx, event, uid))
    const owner = ctx.storesAllRevs ? ctx.actors.uidOf(event.did) : isMember(ctx, uid) ? uid : 0
    if (owner !== 0) revs.set(owner, laterRev(event.rev, revs.get(owner)))
  }
  for (const [uid, rev] of revs) raiseActorRev(ctx.db, uid, rev)
}

/** @returns the parsed commit, or why it was left out */
function readWhereNear(ctx: IndexContext, commit: UnreadCommit): CommitEvent | Outcome {
  if (isFarAwayUnread(ctx, commit)) return 'out-of-scope'
  return commit.read() ?? 'invalid-record'
}

function applyOther(ctx: IndexContext, event: Exclude<StreamEvent, CommitEvent>): Outcome {
  if (event.kind === 'account') return applyAccount(ctx, event)
  if (event.kind === 'identity') return applyIdentity(ctx, event)
  return applySync(ctx, event)
}

function applyCommit(ctx: IndexContext, event: CommitEvent, uid: number): Outcome {
  const { collection } = event
  if (!isIndexed(collection)) return 'not-indexed'
  if (isFarAway(ctx, uid, { ...event, collection })) return 'out-of-scope'
  const rkey = packRkey(event.rkey)
  if (event.operation === 'delete') {
    // Where everything is kept, even the first event of an account may be a deletion.
    const isAnybodys = ctx.scope === 'network' || isImportingFollows(ctx, collection)
    const owner = isAnybodys ? internActor(ctx, event.did) : uid
    if (owner === 0) return 'unknown-account'
    const { rev, timeUs } = event
    return applyRemoval(ctx, { uid: owner, collection, rkey, rev, seenAtUs: timeUs })
  }
  const { did, rev, record, cid: cidText } = event
  const cid = packCid(cidText)
  if (!cid) return 'bad-cid'
  if (!isValidRecord(collection, record)) return 'invalid-record'
  const key = { did, uid, collection, rkey, cid, cidText, rev, record }
  const createdAt = parseCreatedAt(record['createdAt'])
  // By the stream's clock, since ours may be wrong for a while, and this value stays.
  const indexedAt = Math.floor(event.timeUs / 1000)
  ctx.streamMs = Math.max(ctx.streamMs, indexedAt)
  const write = { ...key, createdAt, indexedAt, fetchedAt: undefined, seenAtUs: event.timeUs }
  return applyWrite(ctx, write, event.operation === 'update')
}

/** Advances the stream's time with every batch, even if none of its events was kept. */
function noteCursor(ctx: IndexContext, cursor: StreamCursor): void {
  ctx.streamMs = Math.max(ctx.streamMs, Math.floor(cursor.timeUs / 1000))
  putStreamCursor(ctx.db, cursor, ctx.now)
}

function createTally() {
  let applied = 0
  const skipped: Partial<Record<Outcome, number>> = {}
  return {
    count(outcome: Outcome): void {
      if (outcome === 'applied') applied++
      else skipped[outcome] = (skipped[outcome] ?? 0) + 1
    },
    result: () => ({ applied, skipped }),
  }
}

/** `isUpdate`: the stream said that the key existed before. */
function applyWrite(ctx: IndexContext, write: RecordWrite, isUpdate: boolean): Outcome {
  if (isOfDeletedAccount(ctx, write)) return 'account-deleted'
  if (isTombstoned(ctx, write)) return 'late'
  ctx.happenedAt = Math.min(write.indexedAt, write.seenAtUs / 1000)
  const outcome = allRules[write.collection].put(ctx, write)
  if (outcome !== 'applied' || !isUpdate || write.rev === undefined) return outcome
  writeTombstone(ctx, {
    uid: ctx.actors.uidOf(write.did),
    collection: write.collection,
    rkey: write.rkey,
    rev: write.rev,
  })
  return outcome
}

/**
 * Also remembers the deletion of an unseen record if its creation would be kept, since that may
 * still arrive.
 */
function applyRemoval(ctx: IndexContext, removal: RecordRemoval): Outcome {
  if (isOfDeletedAccount(ctx, removal)) return 'account-deleted'
  if (isTombstoned(ctx, { ...removal, fetchedAt: undefined })) return 'late'
  ctx.happenedAt = removal.seenAtUs / 1000
  const wasThere = allRules[removal.collection].remove(ctx, removal)
  const isRemembered =
    wasThere ||
    ctx.scope === 'network' ||
    isAuthor(ctx, removal.uid) ||
    isImportingFollows(ctx, removal.collection)
  if (isRemembered) writeTombstone(ctx, removal)
  return wasThere ? 'applied' : 'unknown-key'
}

// A cheap first check, before a record is validated or SQLite is read: can the event matter here? Says no
// only if that is certain; the collections' files decide the rest, with the rows at hand. `network` keeps
// everything. `community` keeps all records of authors, and strangers' reactions to kept posts and to
// authors. `authors` leaves out strangers, except for referenced records.

/** Whether no part of this event can be kept. `uid` is the creator's, 0 while unknown. */
function isFarAway(
  ctx: IndexContext,
  uid: number,
  event: CommitEvent & { collection: Collection },
): boolean {
  if (ctx.scope === 'network' || isAuthor(ctx, uid)) return false
  if (event.operation === 'delete') return uid === 0 && !isImportingFollows(ctx, event.collection)
  return allRules[event.collection].isFar(ctx, uid, event)
}

/**
 * The same for an unparsed commit. Any DID in it counts as one that matters, so if this says no,
 * the event is parsed and checked above.
 */
function isFarAwayUnread(ctx: IndexContext, commit: UnreadCommit): boolean {
  if (ctx.scope === 'network') return false
  const uid = ctx.actors.uidOfPlc(commit.bytes, commit.creatorAt)
  if (isAuthor(ctx, uid)) return false
  if (commit.operation === 'delete') {
    return uid === 0 && !isImportingFollows(ctx, commit.collection)
  }
  return allRules[commit.collection as Collection]?.isFarUnread(ctx, uid, commit) ?? false
}
