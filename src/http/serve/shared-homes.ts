// Home timelines where several nodes share their members: those whose buckets this node has are rings in its memory,
// as on a node that is alone. For the others a page is made of rows, at once and as exact; for who comes again soon
// the end of their log is fetched from the engine behind it, of which the next pages are made. So no request waits
// for the engine, no two nodes keep the same, and any node answers anybody.

import type { Logger } from '../../base/obs/log.ts'
import { LruMap } from '../../base/util/lru.ts'
import type { Writer } from '../../bridge/messages.ts'
import { bucketOf } from '../../data/engine/buckets.ts'
import type { FollowingEpochs } from '../../data/engine/following-epochs.ts'
import type { FollowingLog, LoggedEntry } from '../../data/engine/following-log.ts'
import type { HeldBuckets } from '../../data/engine/held-buckets.ts'
import { followsDigest } from '../../data/graph/follows-digest.ts'
import { type ActorReader, type FollowGraphReader, MEMBER } from '../../data/graph/types.ts'
import type { Db } from '../../data/store/db.ts'
import type { LoggedItems } from '../../data/store/read/logged-items.ts'
import { latestStreamTimeUs } from '../../data/store/stream-cursors.ts'
import type { TimelineReader } from '../../data/timeline/types.ts'
import type { ArrivalTail } from './arrival-tail.ts'
import { createEngineWaits } from './engine-waits.ts'
import type { GuestStart, GuestTimelines } from './guest-timelines.ts'

export type SharedHomes = {
  /**
   * A page of theirs is being made; the end of their log is fetched for the next ones, if this is not the first.
   * @returns whether it could be had, for who wants to know; undefined where nothing is fetched
   */
  asked(viewer: { did: string; uid: number }): Promise<boolean> | undefined
  /** Rings, and beside them what was fetched of other members'. */
  timelines: TimelineReader
  /** How often the engine was asked for the end of a log, how often that was of use, and how many are kept now. */
  counts(): { asked: number; used: number; kept: number }
}

type Parts = {
  /** @throws EngineUnavailableError */
  place: () => Promise<{ following: FollowingLog; epochs: FollowingEpochs }>
  db: Db
  actors: Pick<ActorReader, 'flagsOf' | 'hashOf'>
  graph: Pick<FollowGraphReader, 'follows'>
  items: LoggedItems
  tail: ArrivalTail
  guests: GuestTimelines
  rings: TimelineReader
  held: HeldBuckets
  /** Whether the graph in memory is that of the rows. */
  isPublished: () => boolean
  writer: Writer
  log: Pick<Logger, 'warn' | 'error'>
  /** By how much clocks of nodes and of the stream may differ. */
  clocksDifferMs?: number
}

/** A page, and some that may be hidden or blocked. */
const ENTRIES = 64
const CLOCKS_DIFFER_MS = 10_000
const OPENED_EVERY_MS = 1_000
const MAX_OPENED = 10_000
/** For about so long what was fetched can be gone on with, so who comes more rarely is served from rows. */
const COMES_AGAIN_WITHIN_MS = 60_000
const MAX_COMING = 10_000
/** For which nobody waits. */
const FETCHED_WITHIN_MS = 5_000
const MAX_FETCHING = 16

/**
 * From the log comes what its writer calls complete (following-log.ts `follows`), if this node sees the same
 * follows; what arrived after the place in the stream that the log came to is taken from this node's own rows.
 */
export function createSharedHomes(parts: Parts): SharedHomes {
  const { rings, guests, held, actors } = parts
  const waits = createEngineWaits({
    ...parts,
    away: 'the engine is away: home timelines of other nodes’ members are made of rows alone',
    waitedForMs: FETCHED_WITHIN_MS,
    failed: 'the end of a member’s timeline could not be read from the engine',
  })
  const counts = { asked: 0, used: 0 }
  const loading = new Map<number, Promise<boolean>>()
  const cameAt = new LruMap<number, number>(MAX_COMING)
  const openedAt = new LruMap<number, number>(MAX_OPENED)

  /** What was another node's a moment ago is not in memory yet. */
  function openRing(did: string, uid: number): void {
    const now = performance.now()
    if (now - (openedAt.get(uid) ?? -Infinity) < OPENED_EVERY_MS) return
    openedAt.set(uid, now)
    parts.writer.send({ kind: 'member-seen', did }).catch(() => openedAt.delete(uid))
  }

  async function load(did: string, uid: number): Promise<void> {
    counts.asked++
    const { following, epochs } = await parts.place()
    // What counts first, and entries then: so whatever is missing in these arrived after the position.
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
    asked({ did, uid }) {
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
    counts: () => ({ ...counts, kept: guests.size() }),
  }
}

/** Without anything of the log, what arrives from now on. */
function startOf(
  parts: Parts,
  uid: number,
  { entries, position }: { entries: readonly LoggedEntry[]; position: number | undefined },
): (GuestStart & { isFromLog: boolean }) | undefined {
  const { db, items, tail, clocksDifferMs = CLOCKS_DIFFER_MS } = parts
  // Somebody is being followed just now: the next page will do.
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

/** The newest, as far as their writer vouches for what the member follows here. */
function completeOf({ actors, graph }: Parts, uid: number, entries: readonly LoggedEntry[]) {
  if (entries[0]?.follows === undefined) return []
  const digest = followsDigest(graph, actors, uid)
  const first = entries.findIndex(({ follows }) => follows !== digest)
  return first === -1 ? entries : entries.slice(0, first)
}
