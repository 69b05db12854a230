// Home timelines when several nodes share their members. Members whose buckets this node holds have rings in
// its memory, as on a single node. For the others a page is made from rows, immediately and just as exact; if
// a member returns soon, the end of their log is fetched from the engine in the background for the next
// pages. So no request waits for the engine, no two nodes hold the same timelines, and any node can answer
// any member.

import type { FollowGraphReader, TimelineReader } from '@slipstream/follow-graph'
import type { Logger } from '../../../base/obs/log.ts'
import { LruMap } from '../../../base/util/lru.ts'
import type { Writer } from '../../../bridge/messages.ts'
import { followsDigest } from '../../../data/graph/follows-digest.ts'
import { type ActorReader, MEMBER } from '../../../data/graph/types.ts'
import type { Db } from '../../../data/store/db.ts'
import { latestStreamTimeUs } from '../../../data/store/stream/stream-cursors.ts'
import type { LoggedItems } from '../../timelines/store/read/logged-items.ts'
import { bucketOf } from '../engine/buckets.ts'
import type { FollowingEpochs } from '../engine/following-epochs.ts'
import type { FollowingLog, LoggedEntry } from '../engine/following-log.ts'
import type { HeldBuckets } from '../engine/held-buckets.ts'
import type { ArrivalTail } from './arrival-tail.ts'
import { createEngineWaits } from './engine-waits.ts'
import type { GuestStart, GuestTimelines } from './guest-timelines.ts'

export type SharedHomes = {
  /**
   * Call when a member's page is made. Fetches the end of their log for the next pages, unless this
   * is the first one.
   * @returns whether the fetch succeeded; undefined if nothing is fetched
   */
  requested(viewer: { did: string; uid: number }): Promise<boolean> | undefined
  /** Rings, and the fetched timelines of other members. */
  timelines: TimelineReader
  /**
   * How often the end of a log was fetched, how often that was useful, and how many timelines are
   * kept now.
   */
  counts(): { requested: number; used: number; cached: number }
}

type Dependencies = {
  /** @throws EngineUnavailableError */
  cluster: () => Promise<{ following: FollowingLog; epochs: FollowingEpochs }>
  db: Db
  actors: Pick<ActorReader, 'flagsOf' | 'hashOf'>
  graph: Pick<FollowGraphReader, 'follows'>
  items: LoggedItems
  tail: ArrivalTail
  guests: GuestTimelines
  rings: TimelineReader
  held: HeldBuckets
  /** Whether the graph in memory matches the rows. */
  isPublished: () => boolean
  writer: Writer
  log: Pick<Logger, 'warn' | 'error'>
  /** Maximum difference between the clocks of nodes and the stream. */
  clocksDifferMs?: number
}

/** A page, and some spare entries that may be hidden or blocked. */
const ENTRIES = 64
const CLOCKS_DIFFER_MS = 10_000
const OPENED_EVERY_MS = 1_000
const MAX_OPENED = 10_000
/** About as long as fetched entries stay usable; members who return later are served from rows. */
const COMES_AGAIN_WITHIN_MS = 60_000
const MAX_COMING = 10_000
/** In the background; no request waits for it. */
const FETCHED_WITHIN_MS = 5_000
const MAX_FETCHING = 16

/**
 * Takes from the log what its writer calls complete (following-log.ts `follows`), provided that
 * this node sees the same follows. Arrivals after the log's position in the stream come from this
 * node's own rows.
 */
export function createSharedHomes(parts: Dependencies): SharedHomes {
  const { rings, guests, held, actors } = parts
  const waits = createEngineWaits({
    ...parts,
    away: 'the engine is unreachable: other nodes’ members’ home timelines are built from rows',
    waitedForMs: FETCHED_WITHIN_MS,
    failed: 'the end of a member’s timeline could not be read from the engine',
  })
  const counts = { requested: 0, used: 0 }
  const loading = new Map<number, Promise<boolean>>()
  const cameAt = new LruMap<number, number>(MAX_COMING)
  const openedAt = new LruMap<number, number>(MAX_OPENED)

  /** A bucket taken over a moment ago may not be in memory yet. */
  function openRing(did: string, uid: number): void {
    const now = performance.now()
    if (now - (openedAt.get(uid) ?? -Infinity) < OPENED_EVERY_MS) return
    openedAt.set(uid, now)
    parts.writer.send({ kind: 'member-seen', did }).catch(() => openedAt.delete(uid))
  }

  async function load(did: string, uid: number): Promise<void> {
    counts.requested++
    const { following, epochs } = await parts.cluster()
    // Commits are read before entries, so anything missing in the entries arrived after the
    // position.
    const { committed, position } = await epochs.reached(bucketOf(did))
    const range = { member: did, at: Number.MAX_SAFE_INTEGER, isForward: false, limit: ENTRIES }
    const { entries } = await following.read(range, committed)
    const start = startOf(parts, uid, { entries, position })
    if (!start) return
    if (start.isFromLog) counts.used++
    guests.begin(uid, start)
  }

  function comesAgain(uid: number): boolean {
    const now = performance.now()
    const before = cameAt.get(uid) ?? -Infinity
    cameAt.set(uid, now)
    return now - before < COMES_AGAIN_WITHIN_MS
  }

  return {
    requested({ did, uid }) {
      const isMember = uid !== 0 && (actors.flagsOf(uid) & MEMBER) !== 0
      if (!isMember || rings.isOpen(uid)) return undefined
      if (held.hasOf(did)) openRing(did, uid)
      if (!comesAgain(uid) || guests.has(uid)) return undefined
      const found = loading.get(uid)
      if (found || loading.size >= MAX_FETCHING) return found
      const made = waits.inTime(() => load(did, uid)).finally(() => loading.delete(uid))
      loading.set(uid, made)
      return made
    },
    timelines: {
      isOpen: (uid) => rings.isOpen(uid) || guests.isOpen(uid),
      read: (uid, before, limit) =>
        rings.read(uid, before, limit) ?? guests.read(uid, before, limit),
    },
    counts: () => ({ ...counts, cached: guests.size() }),
  }
}

/** Without usable log entries, starts with arrivals from now on. */
function startOf(
  parts: Dependencies,
  uid: number,
  { entries, position }: { entries: readonly LoggedEntry[]; position: number | undefined },
): (GuestStart & { isFromLog: boolean }) | undefined {
  const { db, items, tail, clocksDifferMs = CLOCKS_DIFFER_MS } = parts
  // A follow is being applied just now; retry with the next page.
  if (!parts.isPublished()) return undefined
  const complete = completeOf(parts, uid, entries)
  const last = complete.at(-1)
  const seq = position === undefined ? undefined : tail.before(position - clocksDifferMs)
  if (last && seq !== undefined) {
    const found = items.byUri(complete.map(({ uri }) => uri)).values()
    return { items: found, floor: last.at + clocksDifferMs, seq, isFromLog: true }
  }
  const streamedAt = Math.max(latestStreamTimeUs(db) / 1_000, Date.now())
  const floor = streamedAt + clocksDifferMs
  return { items: [], floor, seq: tail.tip(), isFromLog: false }
}

/** The newest entries, as far as their writer saw the same follows as this node. */
function completeOf({ actors, graph }: Dependencies, uid: number, entries: readonly LoggedEntry[]) {
  if (entries[0]?.follows === undefined) return []
  const digest = followsDigest(graph, actors, uid)
  const first = entries.findIndex(({ follows }) => follows !== digest)
  return first === -1 ? entries : entries.slice(0, first)
}
