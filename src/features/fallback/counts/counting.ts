// Asks a public AppView, in the background, for the counts from before our own counting began: of posts in
// members' timelines and of posts and accounts that are shown. Sends requests of 25, one after another with a
// rest between, for viewed subjects first; backs off from a failing host. The answers are stored apart from
// our own counts (data/store/counts/seed-counts.ts), one slice per transaction.

import { unpackRkey } from '../../../base/atproto/keys.ts'
import type { Logger } from '../../../base/obs/log.ts'
import { MINUTE_MS } from '../../../base/util/durations.ts'
import type { ActorReader } from '../../../data/graph/types.ts'
import { putSeedActorCounts, putSeedPostCounts } from '../../../data/store/counts/seed-counts.ts'
import type { Db, WriteDb } from '../../../data/store/db.ts'
import type { PostCounts } from '../../../data/store/posts/post-counts.ts'
import { findPostById } from '../../../data/store/posts/posts.ts'
import { type CountedScope, prepareSeedCounts } from '../../../data/store/read/seed-counts.ts'
import type { ActorCounts } from '../../../data/store/records/actors.ts'
import { noRetry, type WriteRetry } from '../../../data/store/write-retry.ts'
import type { Writer } from '../../../ingest/indexing/writer.ts'
import { createCircuitBreaker } from '../../../sources/circuit-breaker.ts'
import type { GuardedFetch } from '../../../sources/identity/guarded-fetch.ts'
import {
  type CountsAnswer,
  type CountsAsker,
  createCountsAsker,
  MAX_REQUESTED,
} from './ask-counts.ts'
import { type CountQueue, createCountQueue } from './count-queue.ts'

type CountRequests = {
  /** posts.id; `actors` are uids. */
  posts: readonly number[]
  actors: readonly number[]
}

export type Counting = {
  start(): void
  stop(): Promise<void>
  /** A client views these. */
  requested(presented: CountRequests): void
}

type CountingOptions = {
  db: Db
  writer: Pick<Writer, 'commit'>
  actors: ActorReader
  scope: CountedScope
  origin: string
  /** Guarded, with the origin among the trusted ones. */
  fetch: GuardedFetch
  /** uids of the members whose timelines are scanned. */
  members: () => readonly number[]
  /** Those of them whose timelines are being filled. */
  newcomers: () => readonly number[]
  /** Newest items of a member's timeline (data/store/timelines/item-ids.ts). */
  timelineItems: (member: number) => readonly number[]
  now?: () => number
  /** While writes are impossible, no requests are made. */
  writeRetry?: WriteRetry
  log: Pick<Logger, 'debug' | 'warn'>
  limits?: Partial<CountingLimits>
}

type CountingLimits = {
  /** Pause between two requests. */
  restMs: number
  /** Pause between two timeline scans. */
  lookEveryMs: number
  maxPosts: number
  maxActors: number
}

const DEFAULT_LIMITS: CountingLimits = {
  restMs: 200,
  lookEveryMs: 3_000,
  maxPosts: 5_000,
  maxActors: 2_000,
}
/** Ranks viewed subjects before all others: later than any post. */
const PRESENTED_RANK = 2 ** 52

/** A URL has at most 8,192 characters (sources/identity/guarded-fetch.ts). */
const MAX_NAMES_LENGTH = 7_000
const REFUSED_FOR_MS = 10 * MINUTE_MS
/** Newcomers scanned in one go. */
const MAX_NEWCOMERS = 4

const NO_POSTS: PostCounts = { likes: 0, reposts: 0, replies: 0, quotes: 0 }
const NO_ACTORS: ActorCounts = { follows: 0, followers: 0, posts: 0 }

/**
 * The queue is not stored: missing counts are found again in members' timelines, one after another
 * (also after a restart), or when subjects are shown. A request names posts and accounts and
 * nothing else. It can't be traced to a viewer: subjects that several members view, and those in
 * their timelines, share one queue.
 */
export function createCounting(options: CountingOptions): Counting {
  return new Asking(options)
}

/** Posts, or accounts. */
type Kind<Counts> = {
  queue: CountQueue
  nameOf: (id: number) => string | undefined
  ask: (names: readonly string[]) => Promise<CountsAnswer<Counts>>
  put: (db: WriteDb, id: number, reported: { theirs: Counts; askedAt: number }) => void
  none: Counts
  /** Until then the host does not answer this request. */
  refusedUntil: number
}

class Asking implements Counting {
  readonly #options: CountingOptions
  readonly #now: () => number
  readonly #limits: CountingLimits
  readonly #writeRetry: WriteRetry
  readonly #reader: ReturnType<typeof prepareSeedCounts>
  readonly #breaker: ReturnType<typeof createCircuitBreaker>
  readonly #stopping = new AbortController()
  readonly #posts: Kind<PostCounts>
  readonly #actors: Kind<ActorCounts>
  #asking: Promise<void> | undefined
  #restsUntil = 0
  #askTimer: NodeJS.Timeout | undefined
  #lookTimer: NodeJS.Timeout | undefined
  /** Index of the member whose timeline was scanned last. */
  #lookedAt = 0

  constructor(options: CountingOptions) {
    const { db, now = Date.now, scope } = options
    this.#options = options
    this.#now = now
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits }
    this.#writeRetry = options.writeRetry ?? noRetry
    this.#reader = prepareSeedCounts(db, scope)
    // Waiting takes real time, whatever clock the rows are judged by.
    this.#breaker = createCircuitBreaker(Date.now)
    const asker: CountsAsker = createCountsAsker(options, this.#stopping.signal)
    this.#posts = {
      queue: createCountQueue(this.#limits.maxPosts),
      nameOf: (id) => this.#uriOf(id),
      ask: asker.posts,
      put: (db, id, reported) => putSeedPostCounts(db, id, reported),
      none: NO_POSTS,
      refusedUntil: 0,
    }
    this.#actors = {
      queue: createCountQueue(this.#limits.maxActors),
      nameOf: (uid) => options.actors.didOf(uid),
      ask: asker.actors,
      put: (db, uid, reported) => putSeedActorCounts(db, uid, reported),
      none: NO_ACTORS,
      refusedUntil: 0,
    }
  }

  start(): void {
    this.#lookTimer = setInterval(() => this.#look(), this.#limits.lookEveryMs)
    this.#askSoon(0)
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    clearInterval(this.#lookTimer)
    clearTimeout(this.#askTimer)
    await this.#asking
  }

  requested({ posts, actors }: CountRequests): void {
    this.#want({ posts, actors }, (sortAt) => PRESENTED_RANK + sortAt)
    this.#askSoon(0)
  }

  /** Queues those of these whose counts are missing. */
  #want({ posts, actors }: CountRequests, rankOf: (sortAt: number) => number): void {
    const now = this.#now()
    for (const { id, sortAt } of this.#reader.uncountedPosts(posts, now)) {
      this.#posts.queue.add(id, rankOf(sortAt))
    }
    // Accounts without any counts go first.
    for (const { uid, isKnown } of this.#reader.uncountedActors(actors, now)) {
      this.#actors.queue.add(uid, rankOf(isKnown ? 0 : 1))
    }
  }

  /** Scans the timelines of newcomers and of the next member. */
  #look(): void {
    const { members, newcomers, timelineItems } = this.#options
    if (this.#posts.queue.size >= this.#limits.maxPosts / 2) return
    const all = members()
    this.#lookedAt = (this.#lookedAt + 1) % Math.max(all.length, 1)
    const next = new Set([
      ...newcomers().slice(0, MAX_NEWCOMERS),
      ...all.slice(this.#lookedAt).slice(0, 1),
    ])
    for (const member of next) {
      const posts = this.#reader.postsOfItems(timelineItems(member))
      this.#want({ posts, actors: [member] }, (sortAt) => sortAt)
    }
    this.#askSoon(0)
  }

  #askSoon(afterMs: number): void {
    if (this.#askTimer || this.#asking || this.#stopping.signal.aborted) return
    this.#askTimer = setTimeout(() => {
      this.#askTimer = undefined
      this.#asking = this.#askNext().finally(() => {
        this.#asking = undefined
        if (this.#hasWork()) this.#askSoon(this.#limits.restMs)
      })
    }, afterMs)
  }

  async #askNext(): Promise<void> {
    if (!this.#hasWork() || this.#writeRetry.isFull() || Date.now() < this.#restsUntil) return
    if (!this.#breaker.mayAsk()) return
    if (isDue(this.#actors)) await this.#askFor(this.#actors)
    else if (isDue(this.#posts)) await this.#askFor(this.#posts)
  }

  #hasWork(): boolean {
    return isDue(this.#actors) || isDue(this.#posts)
  }

  async #askFor<Counts>(kind: Kind<Counts>): Promise<void> {
    const ids = kind.queue.first(MAX_REQUESTED)
    const names = new Map(ids.map((id) => [id, kind.nameOf(id)] as const))
    const requested = askable(names)
    if (requested.length === 0) return kind.queue.drop(ids)
    const askedAt = this.#now()
    const answer = await kind.ask(requested.map((id) => names.get(id)!))
    if (this.#stopping.signal.aborted) return
    if (answer.is === 'failed') {
      // Perhaps these subjects make the host fail.
      kind.queue.putLast(requested)
      return this.#leaveAlone(answer.retryAfterMs)
    }
    this.#breaker.succeeded()
    if (answer.is === 'refused') {
      kind.refusedUntil = Date.now() + REFUSED_FOR_MS
      return
    }
    if (answer.is === 'answered') this.#restsUntil = Date.now() + answer.restMs
    const counts = answer.is === 'answered' ? answer.counts : new Map<string, Counts>()
    const putAll = ({ db }: { db: WriteDb }) => {
      for (const id of requested) {
        // A subject that the host does not show adds nothing to our counts.
        kind.put(db, id, { theirs: counts.get(names.get(id)!) ?? kind.none, askedAt })
      }
    }
    const { writer } = this.#options
    // Counts that could not be stored are requested again: they would be stale once there is room.
    if (!this.#writeRetry.ifThereIsSpace(() => writer.commit(putAll))) return
    kind.queue.drop(requested)
    this.#options.log.debug(
      { asked: requested.length, told: counts.size },
      'fetched earlier counts',
    )
  }

  #leaveAlone(retryAfterMs: number | undefined): void {
    const { log, origin } = this.#options
    const pauseMs = this.#breaker.failed(retryAfterMs)
    if (pauseMs > 0) log.warn({ origin, pauseMs }, 'the public AppView does not return counts')
  }

  #uriOf(id: number): string | undefined {
    const row = findPostById(this.#options.db, id)
    const did = row && this.#options.actors.didOf(row.uid)
    return did && `at://${did}/app.bsky.feed.post/${unpackRkey(row.rkey)}`
  }
}

function isDue<Counts>({ queue, refusedUntil }: Kind<Counts>): boolean {
  return queue.size > 0 && refusedUntil <= Date.now()
}

/** As many of these as fit into a URL; skips those without a name or with one that is too long. */
function askable(names: ReadonlyMap<number, string | undefined>): number[] {
  const requested: number[] = []
  let capacity = MAX_NAMES_LENGTH
  for (const [id, name] of names) {
    const length =
      name === undefined ? Infinity : `${new URLSearchParams({ actors: name })}&`.length
    if (length > MAX_NAMES_LENGTH) continue
    capacity -= length
    if (capacity < 0) break
    requested.push(id)
  }
  return requested
}
