// Writes the timelines of members whose buckets this node holds to their logs on the engine, from the
// arrivals in this node's rows, in order. It reads the rows by itself, so ingest never waits, and what the
// engine cannot take now stays in the rows.

import { setTimeout as pause } from 'node:timers/promises'
import type { FollowGraphReader } from '@slipstream/follow-graph'
import type { Logger } from '../../../base/obs/log.ts'
import { batchesOf } from '../../../base/util/batches.ts'
import { followsDigest } from '../../../data/graph/follows-digest.ts'
import type { ActorReader } from '../../../data/graph/types.ts'
import { INVALIDATION } from '../../../data/shared-memory/invalidation-kinds.ts'
import type { InvalidationReader } from '../../../data/shared-memory/invalidation-ring.ts'
import type { Db } from '../../../data/store/db.ts'
import { allMembers } from '../../../data/store/members/members.ts'
import { latestStreamTimeUs } from '../../../data/store/stream/stream-cursors.ts'
import { atOneMoment } from '../../../data/store/transact.ts'
import type { ArrivalReader } from '../../timelines/store/read/arrivals.ts'
import { BUCKETS, bucketOf } from '../engine/buckets.ts'
import { EngineUnavailableError } from '../engine/connect.ts'
import type { FlushDone, FollowingEpochs } from '../engine/following-epochs.ts'
import type { FollowingLog, LogWrite } from '../engine/following-log.ts'
import type { Leases } from '../engine/leases.ts'
import type { Delivered, Deliveries } from './following-deliveries.ts'

type FollowingWriter = {
  /** Committed entries since the start. */
  written(): number
  close(): Promise<void>
}

type ClusterState = { following: FollowingLog; epochs: FollowingEpochs }

type Dependencies = {
  /** @throws EngineUnavailableError */
  cluster: () => Promise<ClusterState>
  leases: Pick<Leases, 'epochOf'>
  db: Db
  actors: Pick<ActorReader, 'didOf' | 'hashOf'>
  graph: Pick<FollowGraphReader, 'follows'>
  /** Used only here. */
  invalidations: InvalidationReader
  arrivals: Pick<ArrivalReader, 'tip' | 'before'>
  deliveries: Deliveries
  /** Whether the graph in memory matches the rows; call it after reading those. */
  isPublished: () => boolean
  log: Pick<Logger, 'warn' | 'error'>
}

/** This node's state of a bucket, for the epoch in which it holds it. */
type Bucket = {
  epoch: number
  /** A later epoch has taken over. */
  isLost: boolean
  /** Number of the last arrival processed. */
  at: number
  flush: number
  savedAt: number
  begunAt: number
  committed: Map<number, number>
  /** Last log number of each member with entries. */
  tips: Map<number, number>
  /**
   * Members whose follows are unchanged since their last write, with the digest of these follows if
   * computed already.
   */
  steady: Map<number, number | undefined>
}

type Round = {
  writes: (LogWrite & { bucket: number; uid: number })[]
  flushes: FlushDone[]
  /** Buckets in this round. */
  live: number[]
  /** Number of the last arrival processed. */
  reached: number
}

type Delivery = {
  uid: number
  items: readonly Delivered[]
  /** Buckets by member. */
  members: ReadonlyMap<number, number>
  /** `LogWrite.follows`, for members where it is known. */
  follows: ReadonlyMap<number, number>
  reached: number
}

const all = Array.from({ length: BUCKETS }, (_, bucket) => bucket)
const EVERY_MS = 250
const AFTER_FAILURE_MS = 1_000
const MEMBERS_EVERY_MS = 2_000
const CLOSING_MS = 2_000
/** Maximum difference between the clocks of nodes and the stream. */
const CLOCKS_DIFFER_MS = 60_000
/** How often a bucket without new entries records its position in the stream. */
const SAVED_EVERY_MS = 10_000
const AT_ONCE = 256
const READ_AT_ONCE = 256

/**
 * A round gathers new arrivals, writes them, and commits them in one transaction
 * (features/cluster/engine/following-epochs.ts). A failed round is repeated unchanged, since it is unknown how
 * much of it was written. A node that takes over a bucket starts shortly before the previous
 * writer's position in the stream, and skips what that one wrote.
 */
export function createFollowingWriter(parts: Dependencies): FollowingWriter {
  const writer = new Writer(parts)
  const running = writer.run()
  return {
    written: () => writer.written,
    async close() {
      writer.isClosed = true
      await Promise.race([running, pause(CLOSING_MS, undefined, { ref: false })])
    },
  }
}

class Writer {
  isClosed = false
  written = 0
  readonly #parts: Dependencies
  readonly #buckets = new Map<number, Bucket>()
  #members: { byUid: Map<number, number>; readAt: number } = { byUid: new Map(), readAt: -Infinity }
  #round: Round | undefined
  #isAway = false

  constructor(parts: Dependencies) {
    this.#parts = parts
  }

  async run(): Promise<void> {
    while (!this.isClosed) {
      const waitMs = await this.#once().catch((error: unknown) => this.#failed(error))
      if (waitMs > 0 && !this.isClosed) await pause(waitMs, undefined, { ref: false })
    }
  }

  #failed(error: unknown): number {
    const { log } = this.#parts
    if (!(error instanceof EngineUnavailableError))
      log.error({ err: error }, 'members’ timelines could not be written')
    else if (!this.#isAway) {
      log.warn(
        { reason: error.message },
        'members’ timelines are not written while the engine is unreachable',
      )
    }
    this.#isAway = true
    return AFTER_FAILURE_MS
  }

  /** @returns how long to wait */
  async #once(): Promise<number> {
    const cluster = await this.#parts.cluster()
    this.#round ??= await this.#prepare(cluster)
    const round = this.#round
    if (!round) return EVERY_MS
    for (const some of batchesOf(round.writes, AT_ONCE)) {
      await Promise.all(some.map((logWrite) => cluster.following.put(logWrite)))
    }
    if (await cluster.epochs.commit(round.flushes)) this.#done(round)
    else await this.#leaveOutLost(cluster.epochs, round)
    this.#isAway = false
    return round.reached < this.#parts.arrivals.tip() ? 0 : EVERY_MS
  }

  #done({ writes, flushes, live, reached }: Round): void {
    this.#round = undefined
    for (const { bucket, flush, epoch } of flushes) {
      const own = this.#buckets.get(bucket)!
      own.flush = flush
      own.committed.set(epoch, flush)
      own.savedAt = performance.now()
    }
    for (const { bucket, uid, number, items } of writes) {
      const own = this.#buckets.get(bucket)!
      own.tips.set(uid, number + items.length - 1)
      if (!own.steady.has(uid)) own.steady.set(uid, undefined)
      this.written += items.length
    }
    for (const bucket of live) {
      const own = this.#buckets.get(bucket)!
      own.at = Math.max(own.at, reached)
    }
  }

  /** Drops buckets whose epoch is lost; their writes are never committed. */
  async #leaveOutLost(epochs: FollowingEpochs, round: Round): Promise<void> {
    const current = await epochs.current(round.flushes.map(({ bucket }) => bucket))
    for (const { bucket, epoch } of round.flushes) {
      if (current.get(bucket) !== epoch) this.#buckets.get(bucket)!.isLost = true
    }
    const isOurs = ({ bucket }: { bucket: number }) => !this.#buckets.get(bucket)!.isLost
    this.#round = {
      ...round,
      writes: round.writes.filter(isOurs),
      flushes: round.flushes.filter(isOurs),
      live: round.live.filter((bucket) => isOurs({ bucket })),
    }
  }

  async #prepare(cluster: ClusterState): Promise<Round | undefined> {
    const live = await this.#takeUp(cluster)
    const gathered = this.#gather(live)
    if (!gathered) return undefined
    const writes: Round['writes'] = []
    for (const some of batchesOf([...gathered.to], AT_ONCE)) {
      const made = some.map(([uid, items]) => this.#writeOf(cluster, { uid, items, ...gathered }))
      writes.push(...(await Promise.all(made)).filter(({ items }) => items.length > 0))
    }
    const touched = new Set(writes.map(({ bucket }) => bucket))
    const now = performance.now()
    const flushes = live.flatMap((bucket): FlushDone[] => {
      const { epoch, flush, savedAt } = this.#buckets.get(bucket)!
      const { position } = gathered
      const next = { bucket, epoch, flush: flush + 1, position }
      return touched.has(bucket) || now - savedAt > SAVED_EVERY_MS ? [next] : []
    })
    return { writes, flushes, live, reached: gathered.reached }
  }

  /** @returns the buckets that it may write now */
  async #takeUp({ epochs: register }: ClusterState): Promise<number[]> {
    // All at once, so that the engine is asked at most once.
    const epochs = await Promise.all(all.map((bucket) => this.#parts.leases.epochOf(bucket)))
    const held = new Map(
      all.flatMap((bucket) => {
        const epoch = epochs[bucket]
        return epoch === undefined ? [] : [[bucket, epoch] as const]
      }),
    )
    const isNew = ([bucket, epoch]: [number, number]) => this.#buckets.get(bucket)?.epoch !== epoch
    const taken = new Map([...held].filter(isNew))
    const begun = await register.begin(taken)
    await Promise.all(
      [...taken].map(([...item]) => this.#begin(register, item, begun.get(item[0]))),
    )
    return [...held.keys()].filter((bucket) => !this.#buckets.get(bucket)!.isLost)
  }

  async #begin(
    epochs: FollowingEpochs,
    [bucket, epoch]: [number, number],
    begun: { position: number | undefined } | undefined,
  ): Promise<void> {
    const { arrivals } = this.#parts
    const position = begun?.position
    const from = position === undefined ? undefined : arrivals.before(position - CLOCKS_DIFFER_MS)
    const committed = begun ? await epochs.committed(bucket) : []
    this.#buckets.set(bucket, {
      epoch,
      isLost: begun === undefined,
      flush: 0,
      savedAt: -Infinity,
      at: from ?? arrivals.tip(),
      begunAt: Date.now(),
      committed: new Map(committed),
      tips: new Map(),
      steady: new Map(),
    })
  }

  /** Reads arrivals and the stream's position in one snapshot. */
  #gather(live: readonly number[]) {
    const { db, arrivals, deliveries, isPublished } = this.#parts
    return atOneMoment(db, () => {
      const tip = arrivals.tip()
      const at = Math.min(...live.map((bucket) => this.#buckets.get(bucket)!.at))
      if (at >= tip || !isPublished()) return undefined
      const buckets = new Set(live)
      const ours = [...this.#bucketsOfMembers()].filter(([, bucket]) => buckets.has(bucket))
      const members = new Map(ours)
      const { to: all, reached } = deliveries.after(at, members)
      const news = [...all].map(([uid, items]) => {
        const own = this.#buckets.get(members.get(uid)!)!
        return [uid, items.filter(({ seq }) => seq > own.at)] as const
      })
      const isAll = reached >= tip
      const streamedAt = Math.min(latestStreamTimeUs(db) / 1_000, Date.now())
      const position = isAll && streamedAt > 0 ? Math.floor(streamedAt) : undefined
      const to = news.filter(([, items]) => items.length > 0)
      const follows = this.#followsOf(to.map(([uid]) => uid))
      return { to, members, follows, reached, position }
    })()
  }

  /**
   * Leaves out members whose follows changed since the last round, maybe even while this one was
   * gathered, since arrivals in between may be missing. A change is reported here before it is in
   * the graph.
   */
  #followsOf(uids: readonly number[]): Map<number, number> {
    const { actors, graph, invalidations } = this.#parts
    const found = new Map<number, number>()
    for (const uid of uids) {
      const steady = this.#bucketOf(uid)?.steady
      if (!steady?.has(uid)) continue
      const digest = steady.get(uid) ?? followsDigest(graph, actors, uid)
      steady.set(uid, digest)
      found.set(uid, digest)
    }
    const isAll = invalidations.take((kind, uid) => {
      if (kind !== INVALIDATION.relation && kind !== INVALIDATION.relations) return
      this.#bucketOf(uid)?.steady.delete(uid)
      found.delete(uid)
    })
    if (isAll) return found
    for (const own of this.#buckets.values()) own.steady.clear()
    return new Map()
  }

  #bucketOf(uid: number): Bucket | undefined {
    return this.#buckets.get(this.#members.byUid.get(uid) ?? -1)
  }

  /** By uid. */
  #bucketsOfMembers(): ReadonlyMap<number, number> {
    const { db, actors } = this.#parts
    const now = performance.now()
    if (now - this.#members.readAt > MEMBERS_EVERY_MS) {
      const known = this.#members.byUid
      const all = allMembers(db).map(({ uid }) => {
        return [uid, known.get(uid) ?? bucketOf(actors.didOf(uid))] as const
      })
      const byUid = new Map(all)
      // No timeline is written for former members; if they return, it must not vouch for the time
      // before.
      for (const uid of known.keys()) if (!byUid.has(uid)) this.#bucketOf(uid)?.steady.delete(uid)
      this.#members = { byUid, readAt: now }
    }
    return this.#members.byUid
  }

  async #writeOf(
    cluster: ClusterState,
    { uid, items, members, follows, reached }: Delivery,
  ): Promise<Round['writes'][number]> {
    const { actors, deliveries } = this.#parts
    const bucket = members.get(uid)!
    const own = this.#buckets.get(bucket)!
    const member = actors.didOf(uid)
    const tip = own.tips.get(uid) ?? (await tipOf(cluster, member, own))
    const news =
      tip === 0 ? deliveries.newest(uid, reached) : await unknown(cluster, { member, own, items })
    const { epoch, flush } = own
    const number = Math.max(tip, cluster.following.base) + 1
    const write = { bucket, uid, member, epoch, flush: flush + 1, number, items: news }
    return { ...write, follows: follows.get(uid) }
  }
}

async function tipOf(
  { following }: ClusterState,
  member: string,
  { committed }: Bucket,
): Promise<number> {
  const range = { member, at: Number.MAX_SAFE_INTEGER, isForward: false, limit: 1 }
  const { entries } = await following.read(range, committed)
  return entries[0]?.number ?? 0
}

/**
 * Drops items that another node wrote before this one held the bucket. No node writes a post before
 * it exists, so posts newer than the epoch are certainly new, and the log is read back only to the
 * age of the oldest item in doubt.
 */
async function unknown(
  { following }: ClusterState,
  { member, own, items }: { member: string; own: Bucket; items: readonly Delivered[] },
): Promise<readonly Delivered[]> {
  const inDoubt = items.filter(({ sortAt }) => sortAt < own.begunAt + CLOCKS_DIFFER_MS)
  if (inDoubt.length === 0) return items
  const since = Math.min(...inDoubt.map(({ sortAt }) => sortAt)) - CLOCKS_DIFFER_MS
  const known = new Set<string>()
  let at = Number.MAX_SAFE_INTEGER
  for (let isEnd = false; !isEnd; ) {
    const range = { member, at, isForward: false, limit: READ_AT_ONCE }
    const slice = await following.read(range, own.committed)
    for (const { uri } of slice.entries) known.add(uri)
    const last = slice.entries.at(-1)
    isEnd = slice.isEnd || !last || last.at < since
    at = last?.number ?? at
  }
  return items.filter(({ uri }) => !known.has(uri))
}
