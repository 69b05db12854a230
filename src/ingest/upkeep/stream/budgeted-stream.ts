// The stream within a month's budget of bytes: the main stream, filtered by what is left out at the moment
// (data/store/stream/stream-levels.ts), and beside it the authors' stream, which brings what that would miss of members
// and those they follow. A change first opens the authors' stream with all that either level needs, at the main
// stream's cursor; then the main stream's filters change; then the authors' stream is narrowed. The choice is
// written where a kill before or after it loses nothing.

import type { Consumer, StreamBatch, StreamCursor, StreamFilters } from '@slipstream/jetstream'
import { collections } from '../../../base/atproto/collections.ts'
import type { Logger } from '../../../base/obs/log.ts'
import { MINUTE_MS, SECOND_MS } from '../../../base/util/durations.ts'
import { pause } from '../../../base/util/waits.ts'
import type { ActorReader } from '../../../data/graph/types.ts'
import type { Db } from '../../../data/store/db.ts'
import { streamBytes } from '../../../data/store/stream/stream-bytes.ts'
import {
  putStreamChoice,
  putStreamResume,
  streamChoice,
  streamPaces,
} from '../../../data/store/stream/stream-choices.ts'
import {
  AUTHORS_ONLY,
  dayBytesAt,
  measuredMs,
  STREAM_LEVELS,
  type StreamLevel,
} from '../../../data/store/stream/stream-levels.ts'
import type { WriteRetry } from '../../../data/store/write-retry.ts'
import type { Writer } from '../../indexing/writer.ts'
import { type AuthorsStream, createAuthorsStream, MAX_DIDS, MAX_PARTS } from './authors-stream.ts'
import { chooseLevel } from './choose-level.ts'
import { createRecentCursors, type RecentCursors } from './recent-cursors.ts'
import { authorDids } from './stream-filters.ts'

type BudgetedContext = {
  db: Db
  writer: Pick<Writer, 'commit'>
  diskSpace: Pick<WriteRetry, 'ifThereIsSpace'>
  actors: ActorReader
  log: Pick<Logger, 'info' | 'warn'>
  now: () => number
  /** For a calendar month, UTC. */
  budgetBytes: number
  /** Accounts that count as authors by the settings. */
  others: readonly string[]
  cursors: readonly StreamCursor[]
  /** Writes a batch of the main stream. */
  apply: (batch: StreamBatch) => Promise<void>
  /** The same of the authors’ stream, whose cursor is not the main stream’s. */
  applyBeside: (batch: StreamBatch) => Promise<void>
  connectMain: (options: ConnectOptions) => Consumer
  connectBeside: (options: ConnectOptions) => Consumer
  onLevel: (level: StreamLevel) => void
  waits?: Partial<typeof WAITS>
}

type ConnectOptions = {
  filters: StreamFilters
  cursors: readonly StreamCursor[]
  apply: (batch: StreamBatch) => Promise<void>
}

const WAITS = {
  /** Between two looks at the streams. */
  lookMs: 5 * SECOND_MS,
  /** Between two looks at the budget. */
  chooseMs: MINUTE_MS,
  /** Changes of the accounts are gathered. */
  gatherMs: 30 * SECOND_MS,
  /** Until the authors’ stream is connected, before a change is given up. */
  connectMs: 2 * MINUTE_MS,
  /** Until the next attempt. */
  againMs: 10 * MINUTE_MS,
}
/** An account that was followed may have written something while that was being indexed. */
const BEFORE_MS = 5 * SECOND_MS
/** Behind by more, what the next hours will bring is not known. */
const LATE_MS = 2 * MINUTE_MS

/** Its filters follow from the level: `setFilters` only says that the authors are others now. */
export function createBudgetedStream(context: BudgetedContext): Consumer {
  const stream = new BudgetedStream(context)
  return {
    start: () => stream.start(),
    stop: () => stream.stop(),
    setFilters: () => stream.authorsChanged(),
    status: () => stream.status(),
  }
}

class BudgetedStream {
  readonly #context: BudgetedContext
  readonly #waits: typeof WAITS
  readonly #now: () => number
  readonly #main: Consumer
  readonly #beside: AuthorsStream
  readonly #recent: RecentCursors
  readonly #stopping = new AbortController()
  readonly #savedLevel: StreamLevel
  #level: StreamLevel
  #resume: StreamCursor | undefined
  /** Since when the authors are others than those of the filters. */
  #changedSince: number | undefined
  #work: Promise<void> | undefined
  #choseAt = Number.NEGATIVE_INFINITY
  #retryAt = 0
  #timer: NodeJS.Timeout | undefined

  constructor(context: BudgetedContext) {
    const { db, actors, others, now, cursors, connectMain, connectBeside, applyBeside } = context
    const saved = streamChoice(db)
    this.#context = context
    this.#waits = { ...WAITS, ...context.waits }
    this.#now = now
    this.#savedLevel = saved.level
    this.#level = Math.min(saved.level, highestLevel(actors, others)) as StreamLevel
    this.#resume = saved.resume
    this.#recent = createRecentCursors(cursors[0])
    this.#beside = createAuthorsStream({
      dids: () => authorDids(actors, others, MAX_DIDS * MAX_PARTS) ?? [],
      connect: (filters, from) =>
        connectBeside({ filters, cursors: from ? [from] : [], apply: applyBeside }),
      now,
    })
    this.#main = connectMain({
      filters: this.#filtersAt(this.#level),
      cursors: this.#level === saved.level ? cursors : earlier(saved.resume, cursors),
      apply: async (batch) => {
        await context.apply(batch)
        this.#recent.note(batch.cursor)
      },
    })
    context.onLevel(this.#level)
  }

  start(): void {
    if (this.#level !== this.#savedLevel) this.#save(this.#level)
    this.#main.start()
    const { collections: left } = STREAM_LEVELS[this.#level]!
    const latest = this.#recent.latest()
    if (left.length > 0) this.#run(this.#beside.open(left, this.#resume ?? latest))
    if (this.#level === AUTHORS_ONLY && isEarlier(this.#resume, latest)) {
      this.#run(this.#bridge(this.#resume))
    }
    this.#timer ??= setInterval(() => this.#look(), this.#waits.lookMs)
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    clearInterval(this.#timer)
    await this.#work
    await Promise.all([this.#main.stop(), this.#beside.stop()])
    this.#saveResume()
  }

  authorsChanged(): void {
    if (this.#level > 0) this.#changedSince ??= this.#now()
  }

  status() {
    return this.#main.status()
  }

  #filtersAt(level: StreamLevel): StreamFilters {
    const { actors, others } = this.#context
    const left = new Set(STREAM_LEVELS[level]!.collections)
    return {
      collections: collections.filter((name) => !left.has(name)),
      dids: level === AUTHORS_ONLY ? authorDids(actors, others, MAX_DIDS) : undefined,
    }
  }

  #highest(): StreamLevel {
    return highestLevel(this.#context.actors, this.#context.others)
  }

  #save(level: StreamLevel): void {
    const { diskSpace, writer } = this.#context
    const resume = this.#resumeCursor()
    diskSpace.ifThereIsSpace(() =>
      writer.commit((ctx) => putStreamChoice(ctx.db, this.#now(), { level, resume })),
    )
  }

  /** Where the authors’ stream begins if it is opened now. */
  #resumeCursor(): StreamCursor | undefined {
    const isComplete = this.#beside.collections().length === 0 && this.#changedSince === undefined
    const unheardSince = (this.#changedSince ?? Number.POSITIVE_INFINITY) - BEFORE_MS
    const completeUntil = Math.min(this.#beside.completeUntil(), unheardSince)
    const found = isComplete ? this.#recent.latest() : this.#recent.before(completeUntil)
    this.#resume = found ?? this.#resume
    return this.#resume
  }

  #saveResume(): void {
    const { diskSpace, writer } = this.#context
    const resume = this.#resumeCursor()
    if (this.#level === 0 || !resume) return
    diskSpace.ifThereIsSpace(() => writer.commit((ctx) => putStreamResume(ctx.db, resume)))
  }

  async #change(next: StreamLevel): Promise<void> {
    const { collections: before } = STREAM_LEVELS[this.#level]!
    const { collections: after, name: leavesOut } = STREAM_LEVELS[next]!
    const both = [...new Set([...before, ...after])]
    const adds = both.length > before.length
    if (adds) {
      await this.#beside.open(both, this.#resumeCursor())
      const isThere = await this.#until(() => this.#beside.isConnected(), this.#waits.connectMs)
      if (!isThere) return this.#giveUp(before)
      this.#save(next)
    }
    const { log, budgetBytes } = this.#context
    log.info({ leavesOut, budgetBytes }, 'what the stream leaves out')
    if (!(await this.#filterBy(next))) return
    if (!adds) this.#save(next)
    if (after.length < both.length) await this.#beside.open(after, this.#resumeCursor())
    this.#level = next
    this.#context.onLevel(next)
  }

  /** @returns once the main stream is filtered, and the authors’ stream has come past that moment. */
  #filterBy(level: StreamLevel): Promise<boolean> {
    this.#main.setFilters(this.#filtersAt(level))
    const changedAt = this.#now()
    return this.#until(
      () => this.#main.status().filtersSent && this.#beside.completeUntil() >= changedAt,
    )
  }

  async #giveUp(before: readonly string[]): Promise<void> {
    if (this.#stopping.signal.aborted) return
    this.#context.log.warn(
      {},
      'no host takes the accounts as a filter: no more is left out for now',
    )
    this.#retryAt = this.#now() + this.#waits.againMs
    await this.#beside.open(before, this.#resumeCursor())
  }

  /** A new author is heard from the moment of the follow on, wherever the streams are by now. */
  async #followAuthors(): Promise<void> {
    // More than hosts take as a filter: the next choice ends that.
    if (this.#level > this.#highest()) return
    const from = this.#resumeCursor()
    this.#changedSince = undefined
    if (this.#level === AUTHORS_ONLY) await this.#bridge(from)
    else await this.#beside.open(this.#beside.collections(), from)
  }

  /** Where the main stream itself is filtered by account, its position says nothing about new ones. */
  async #bridge(from: StreamCursor | undefined): Promise<void> {
    await this.#beside.open(collections, from)
    if (await this.#filterBy(this.#level)) await this.#beside.open([], undefined)
  }

  #choose(): StreamLevel {
    const { db, budgetBytes } = this.#context
    if (budgetBytes === 0) return 0
    const { lagMs = 0, connected } = this.#main.status()
    const paces = streamPaces(db)
    return chooseLevel({
      level: this.#level,
      changedAt: streamChoice(db).since,
      now: this.#now(),
      budgetBytes,
      receivedBytes: streamBytes(db, this.#now()).thisMonth,
      // While it catches up, what it receives says nothing about the days ahead.
      dayBytesAt: (at) => (connected && lagMs < LATE_MS ? dayBytesAt(at, paces) : undefined),
      measuredMs: measuredMs(paces),
      highest: this.#highest(),
    })
  }

  #look(): void {
    this.#beside.look()
    if (this.#work || this.#stopping.signal.aborted) return
    const now = this.#now()
    if (this.#changedSince !== undefined && now - this.#changedSince >= this.#waits.gatherMs) {
      return this.#run(this.#followAuthors())
    }
    if (now - this.#choseAt < this.#waits.chooseMs || now < this.#retryAt) return
    this.#choseAt = now
    this.#saveResume()
    const next = this.#choose()
    if (next !== this.#level) this.#run(this.#change(next))
  }

  #run(task: Promise<void>): void {
    this.#work = task.finally(() => {
      this.#work = undefined
    })
  }

  /** @returns false if it is stopped before, or after so long. */
  async #until(isSo: () => boolean, mostMs = Number.POSITIVE_INFINITY): Promise<boolean> {
    const { signal } = this.#stopping
    const began = this.#now()
    while (!isSo()) {
      if (signal.aborted || this.#now() - began > mostMs) return false
      await pause(Math.min(this.#waits.lookMs, SECOND_MS), signal)
    }
    return !signal.aborted
  }
}

/** For so many accounts. */
function highestLevel(actors: ActorReader, others: readonly string[]): StreamLevel {
  if (authorDids(actors, others, MAX_DIDS)) return AUTHORS_ONLY
  return authorDids(actors, others, MAX_DIDS * MAX_PARTS) ? 3 : 0
}

/** Begins where the authors’ stream stopped, if the main stream is further. */
export function earlier(
  resume: StreamCursor | undefined,
  cursors: readonly StreamCursor[],
): readonly StreamCursor[] {
  return resume && isEarlier(resume, cursors[0]) ? [resume] : cursors
}

function isEarlier(
  streamCursor: StreamCursor | undefined,
  other: StreamCursor | undefined,
): boolean {
  return streamCursor !== undefined && other !== undefined && streamCursor.timeUs < other.timeUs
}
