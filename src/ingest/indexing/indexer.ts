// Applies batches of events: one SQLite transaction a batch, rows, stream cursor and gaps together
// (invariant 1). What it means for memory is handed back, to be published after the commit; the
// next batch must wait for that, since what is kept depends on who is an author by then.
//
// A batch that fails leaves nothing behind: the transaction is rolled back, uids that were given
// out are taken back, and the error goes to the caller, for it is ours, never a bad record's.

import { isIndexed } from '../../base/atproto/collections.ts'
import { packCid, packRkey } from '../../base/atproto/keys.ts'
import type {
  CommitEvent,
  StreamCursor,
  StreamEvent,
  StreamGap,
  StreamItem,
  UnreadCommit,
} from '../../base/event.ts'
import type { ActorWriter } from '../../data/graph/types.ts'
import { actorsNotActive, raiseActorRev, removedActors } from '../../data/store/actors.ts'
import type { Db } from '../../data/store/db.ts'
import type { FollowLine } from '../../data/store/follows.ts'
import { notesOf } from '../../data/store/notes.ts'
import { reactionsPrunedBefore } from '../../data/store/old-posts.ts'
import { statusCode } from '../../data/store/status.ts'
import { latestStreamTimeUs, putStreamCursor } from '../../data/store/stream-cursors.ts'
import { transact } from '../../data/store/transact.ts'
import { applyAccount, bringBack } from './account.ts'
import { applyGap } from './account-gaps.ts'
import { applyRemoval, applyWrite } from './apply-record.ts'
import { type ColdStartBudget, UNCOUNTED } from './cold-start-budget.ts'
import { type FetchedRecords, toWrites } from './fetched-records.ts'
import { applyIdentity } from './identity.ts'
import { emptyTally, type ImportTally } from './import-tally.ts'
import {
  dropCounts,
  flushCounts,
  type IndexContext,
  type IndexScope,
  internActor,
  isImportingFollows,
  isMember,
  type Outcome,
} from './index-context.ts'
import { laterRev } from './lateness.ts'
import { importLiveFollows } from './live-follows.ts'
import type { MemoryChange } from './memory-changes.ts'
import { keepShown } from './post-rows.ts'
import { parseCreatedAt } from './record-times.ts'
import { isFarAway } from './scope.ts'
import { applySync } from './sync.ts'
import { createTombstoneFilter, type TombstoneFilter } from './tombstone-filter.ts'
import { isFarAwayUnread } from './unread.ts'
import { isValidRecord } from './validate.ts'

/** From one slice of an import to the next, at most. */
const IMPORT_LASTS_MS = 5 * 60_000

export type IndexerOptions = {
  db: Db
  actors: ActorWriter
  scope: IndexScope
  /** DIDs. */
  trustedVerifiers?: readonly string[]
  /** What cold starts may take at once. */
  coldStarts?: ColdStartBudget
  /** Milliseconds since 1970. */
  now: () => number
}

export type BatchOutcome = {
  /** To be published after this call, in order, before the next one. */
  changes: MemoryChange[]
  applied: number
  /** How many were left out, by reason. */
  skipped: Partial<Record<Outcome, number>>
}

export type EventBatch = {
  events: StreamItem[]
  /** Where the stream stands after these events. */
  cursor?: StreamCursor
  gaps?: StreamGap[]
  /** Writes what else has to be saved with them. */
  alongside?: () => void
}

export type ImportedFollows = { changes: MemoryChange[]; tally: ImportTally }

export type Indexer = {
  /** @throws whatever SQLite throws; then nothing of the batch was applied. */
  applyBatch(batch: EventBatch): BatchOutcome
  /** Records that were fetched from a repository; one transaction. */
  applyRecords(fetched: FetchedRecords): BatchOutcome
  /** Part of an operator's list of follows; one transaction. */
  importFollows(
    lines: readonly FollowLine[],
    options?: { isInScopeOnly?: boolean },
  ): ImportedFollows
  /** Runs other writes of ours in one transaction, with the same care for memory. */
  run(work: (ctx: IndexContext, filter: TombstoneFilter) => void): MemoryChange[]
  /** Whether strangers' records are taken where the scope has room for them; yes at first. */
  takeStrangers(isWanted: boolean): void
}

export function createIndexer(options: IndexerOptions): Indexer {
  const { db, actors } = options
  const filter = createTombstoneFilter(db)
  const ctx = createContext(options)

  function run(work: (ctx: IndexContext, filter: TombstoneFilter) => void): MemoryChange[] {
    const actorsBefore = actors.count
    begin(ctx, options.now())
    try {
      transact(db, () => {
        work(ctx, filter)
        flushCounts(ctx)
        notesOf(db).beginSettling()
      })
    } catch (error) {
      actors.truncate(actorsBefore)
      // Who saw a uid that was taken back might have kept something under it.
      notesOf(db).publishEverything()
      notesOf(db).settle()
      forget(ctx)
      throw error
    }
    return ctx.changes
  }

  function applyBatch({ events, cursor, gaps = [], alongside }: EventBatch): BatchOutcome {
    const tally = createTally()
    const changes = run(() => {
      applyEvents(ctx, filter, events, tally.count)
      if (cursor) noteCursor(ctx, cursor)
      for (const gap of gaps) applyGap(ctx, gap)
      alongside?.()
    })
    return { changes, ...tally.result() }
  }

  function applyRecords(fetched: FetchedRecords): BatchOutcome {
    const tally = createTally()
    const changes = run(() => {
      for (const write of toWrites(fetched, ctx, tally.count)) {
        if (fetched.isShown) keepShown(ctx, write)
        tally.count(applyWrite(ctx, filter, { ...write, uid: actors.uidOf(write.did) }, false))
      }
      const uid = actors.uidOf(fetched.did)
      if (fetched.repoRev && uid !== 0) raiseActorRev(db, uid, fetched.repoRev)
    })
    return { changes, ...tally.result() }
  }

  function importFollows(lines: readonly FollowLine[], options = {}): ImportedFollows {
    let tally = emptyTally()
    const changes = run(() => {
      ctx.importingUntil = ctx.now + IMPORT_LASTS_MS
      ctx.happenedAt = 0 // nobody says when, but before now
      tally = importLiveFollows(ctx, filter, lines, options)
    })
    return { changes, tally }
  }

  function takeStrangers(isWanted: boolean): void {
    ctx.scope = isWanted ? ctx.keptScope : 'authors'
  }

  return { applyBatch, applyRecords, importFollows, run, takeStrangers }
}

function applyEvents(
  ctx: IndexContext,
  filter: TombstoneFilter,
  items: StreamItem[],
  count: (outcome: Outcome) => void,
): void {
  const memberRevs = new Map<number, string>()
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
    if (uid !== 0) bringBack(ctx, uid, event)
    count(applyCommit(ctx, filter, event, uid))
    if (isMember(ctx, uid)) memberRevs.set(uid, laterRev(event.rev, memberRevs.get(uid)))
  }
  for (const [uid, rev] of memberRevs) raiseActorRev(ctx.db, uid, rev)
}

/** @returns why it was left out, where it was. */
function readWhereNear(ctx: IndexContext, commit: UnreadCommit): CommitEvent | Outcome {
  if (isFarAwayUnread(ctx, commit)) return 'out-of-scope'
  return commit.read() ?? 'invalid-record'
}

function applyOther(ctx: IndexContext, event: Exclude<StreamEvent, CommitEvent>): Outcome {
  if (event.kind === 'account') return applyAccount(ctx, event)
  if (event.kind === 'identity') return applyIdentity(ctx, event)
  return applySync(ctx, event)
}

function applyCommit(
  ctx: IndexContext,
  filter: TombstoneFilter,
  event: CommitEvent,
  uid: number,
): Outcome {
  const { collection } = event
  if (!isIndexed(collection)) return 'not-indexed'
  if (isFarAway(ctx, uid, { ...event, collection })) return 'out-of-scope'
  const rkey = packRkey(event.rkey)
  if (event.operation === 'delete') {
    // Where everything is kept, even the first word of an account may be a deletion.
    const isAnybodys = ctx.scope === 'network' || isImportingFollows(ctx, collection)
    const owner = isAnybodys ? internActor(ctx, event.did) : uid
    if (owner === 0) return 'unknown-account'
    const { rev, timeUs } = event
    return applyRemoval(ctx, filter, { uid: owner, collection, rkey, rev, seenAtUs: timeUs })
  }
  const { did, rev, record, cid: cidText } = event
  const cid = packCid(cidText)
  if (!cid) return 'bad-cid'
  if (!isValidRecord(collection, record)) return 'invalid-record'
  const key = { did, uid, collection, rkey, cid, cidText, rev, record }
  const createdAt = parseCreatedAt(record['createdAt'])
  // The stream's word, since our clock may be wrong for a while, and this stays.
  const indexedAt = Math.floor(event.timeUs / 1000)
  ctx.streamMs = Math.max(ctx.streamMs, indexedAt)
  const write = { ...key, createdAt, indexedAt, fetchedAt: undefined, seenAtUs: event.timeUs }
  return applyWrite(ctx, filter, write, event.operation === 'update')
}

/** The stream's time is known as soon as anything came, also where nothing of it was kept. */
function noteCursor(ctx: IndexContext, cursor: StreamCursor): void {
  ctx.streamMs = Math.max(ctx.streamMs, Math.floor(cursor.timeUs / 1000))
  putStreamCursor(ctx.db, cursor, ctx.now)
}

function createContext(options: IndexerOptions): IndexContext {
  const { db, actors, scope, trustedVerifiers, coldStarts = UNCOUNTED } = options
  const ctx: IndexContext = {
    db,
    actors,
    scope,
    keptScope: scope,
    prunedBefore: reactionsPrunedBefore(db),
    trustedVerifiers: new Set(trustedVerifiers),
    coldStarts,
    now: 0,
    streamMs: Math.floor(latestStreamTimeUs(db) / 1000),
    changes: [],
    pendingMemberFollowers: new Map(),
    happenedAt: 0,
    postCounts: new Map(),
    actorCounts: new Map(),
    earlierPostCounts: new Map(),
    earlierActorCounts: new Map(),
    deletedAccounts: new Set(),
    removedAt: new Map(),
    importingUntil: 0,
    knownPeople: new Set(),
  }
  forget(ctx)
  return ctx
}

function begin(ctx: IndexContext, now: number): void {
  ctx.now = now
  ctx.happenedAt = now
  ctx.changes = []
  ctx.pendingMemberFollowers.clear()
}

/** After a rollback, and at first: what is remembered between batches is read from rows. */
function forget(ctx: IndexContext): void {
  dropCounts(ctx)
  ctx.knownPeople.clear()
  ctx.prunedBefore = reactionsPrunedBefore(ctx.db)
  ctx.deletedAccounts.clear()
  ctx.removedAt = new Map(removedActors(ctx.db))
  for (const [uid, status] of actorsNotActive(ctx.db)) {
    if (status === statusCode('deleted')) ctx.deletedAccounts.add(uid)
  }
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
