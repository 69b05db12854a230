// The only way to write: all that `work` does to rows is one SQLite transaction, and its effects on memory are
// published after the commit and before the next write (invariant 1). No other code has the transaction or the
// publishing (test/tidy.test.ts).
// Work that fails leaves nothing behind: newly assigned uids are taken back, and the error goes to the caller.

import { assert } from '../../base/util/assert.ts'
import { DAY_MS } from '../../base/util/durations.ts'
import type { WriteDb } from '../../data/store/db.ts'
import { actorsNotActive, removedActors } from '../../data/store/records/actors.ts'
import { statusCode } from '../../data/store/records/status.ts'
import { reactionsPrunedBefore } from '../../data/store/removal/old-posts.ts'
import { latestStreamTimeUs } from '../../data/store/stream/stream-cursors.ts'
import { invalidationsOf, transact } from '../../data/store/transact.ts'
import { dropCounts, flushCounts, type IndexContext, type IndexScope } from './index-context.ts'
import { type ColdStartBudget, UNCOUNTED } from './members/cold-start-budget.ts'
import type { Memory } from './memory/memory.ts'
import type { MemoryChange } from './memory/memory-changes.ts'
import { publish } from './memory/publish.ts'
import { createTombstoneFilter } from './records/tombstone-filter.ts'

export type Writer = {
  /**
   * Applies, commits, publishes.
   * @returns the result of `work`
   * @throws the error of `work` or SQLite; nothing was written or published then
   */
  commit<T>(work: (ctx: IndexContext) => T): T
  /** Whether to take strangers' records where the scope has room for them; initially yes. */
  takeStrangers(isWanted: boolean): void
  /** Called with the unforeseen error that made the indexer leave out a stranger's record. */
  onLeftOut?: ((error: unknown) => void) | undefined
}

type WriterOptions = {
  db: WriteDb
  /** Accounts only in a process without readers: the next start builds the rest from rows. */
  memory: Memory | Pick<Memory, 'actors'>
  scope: IndexScope
  /** DIDs. */
  trustedVerifiers?: readonly string[] | undefined
  /** Days for which notifications of non-members are kept. */
  notificationDays?: number | undefined
  /** Keeps the latest rev of every account, not only of members. */
  storesAllRevs?: boolean
  /** Budget that all cold starts share. */
  coldStarts?: ColdStartBudget
  /** Called after each commit that changed memory, with the number of timeline entries written. */
  onPublished?: (changes: readonly MemoryChange[], entries: number) => void
  onLeftOut?: Writer['onLeftOut']
  /** Milliseconds since 1970. */
  now: () => number
}

export function createWriter(options: WriterOptions): Writer {
  const { db, memory, now, onPublished } = options
  const { actors } = memory
  const published = 'graph' in memory ? memory : undefined
  const ctx = createContext(options)
  let isWriting = false

  function apply<T>(work: (ctx: IndexContext) => T): T {
    const actorsBefore = actors.count
    let result: T
    begin(ctx, now())
    try {
      transact(db, () => {
        result = work(ctx)
        flushCounts(ctx)
        if (published && ctx.changes.length > 0) invalidationsOf(db).beginPublishing()
      })
    } catch (error) {
      actors.truncate(actorsBefore)
      // A reader that saw a uid before it was taken back may have cached something under it.
      invalidationsOf(db).publishEverything()
      invalidationsOf(db).endPublishing()
      forget(ctx)
      throw error
    }
    return result!
  }

  function publishChanges({ changes }: IndexContext): void {
    if (!published || changes.length === 0) return
    const entries = publish(db, published, changes)
    onPublished?.(changes, entries)
  }

  return {
    onLeftOut: options.onLeftOut,
    commit(work) {
      assert(!isWriting, 'a commit within a commit')
      isWriting = true
      try {
        const result = apply(work)
        publishChanges(ctx)
        return result
      } finally {
        isWriting = false
      }
    },
    takeStrangers(isWanted) {
      ctx.scope = isWanted ? ctx.storedScope : 'authors'
    },
  }
}

function createContext(options: WriterOptions): IndexContext {
  const { db, scope, trustedVerifiers, notificationDays = 0, coldStarts = UNCOUNTED } = options
  const { storesAllRevs = false } = options
  const { actors } = options.memory
  const ctx: IndexContext = {
    db,
    actors,
    scope,
    storedScope: scope,
    prunedBefore: reactionsPrunedBefore(db),
    trustedVerifiers: new Set(trustedVerifiers),
    othersNotifiedMs: notificationDays * DAY_MS,
    storesAllRevs,
    coldStarts,
    tombstones: createTombstoneFilter(db),
    now: 0,
    streamMs: Math.floor(latestStreamTimeUs(db) / 1000),
    changes: [],
    pendingMemberFollowers: new Map(),
    happenedAt: 0,
    postCounts: new Map(),
    actorCounts: new Map(),
    seedPostCounts: new Map(),
    seedActorCounts: new Map(),
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

/** Rereads from rows the state kept between batches; called at first and after a rollback. */
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
