// Counts how long videos are watched. Serving threads report the segments that sessions request; a segment
// counts once per session, whichever threads served it, and new ones are added to rows in one transaction. A
// session is remembered until it is over. If there are too many, the oldest is forgotten, and unremembered
// sessions that began before it count no more, so that nothing counts twice.

import { type PackedRkey, packRkey } from '../../../base/atproto/keys.ts'
import type { Counts } from '../../../base/obs/counts.ts'
import { HOUR_MS, MINUTE_MS } from '../../../base/util/durations.ts'
import type { WriteDb } from '../../../data/store/db.ts'
import type { Writer } from '../../../ingest/indexing/writer.ts'
import type { SegmentWatch } from '../requests.ts'
import { addVideoWatch, countVideoWatches, hasVideoWatch } from '../store/video-watches.ts'

type VideoWatches = { record(watches: readonly SegmentWatch[]): void }

type VideoWatchesOptions = {
  writer: Pick<Writer, 'commit'>
  counts: Pick<Counts, 'add'>
  now: () => number
  maxSessions?: number
  maxRowsADay?: number
}

type Session = { issuedAt: number; seen: Uint8Array }
type Sum = {
  uid: number
  rkey: PackedRkey
  day: number
  milliseconds: number
  sessions: number
}

/** How long a session counts after its beginning. */
export const SESSION_MS = 2 * HOUR_MS
/** Segments requested at the end of a session are reported a little later. */
const REMEMBERED_MS = SESSION_MS + 10 * MINUTE_MS
/** Each takes up to 450 bytes, and mostly eight. */
const MAX_SESSIONS = 20_000
/** Posts watched on one day; each is a row. */
const MAX_ROWS_A_DAY = 200_000

export function createVideoWatches(options: VideoWatchesOptions): VideoWatches {
  const { writer, counts, now, maxRowsADay = MAX_ROWS_A_DAY } = options
  const sessions = createSessions(options)
  /** Rows of one day; counted again when the day changes. */
  let rows = { day: -1, count: 0 }

  /** Adds a sum if there is room; `state` belongs to this transaction. */
  function add(db: WriteDb, sum: Sum, state: typeof rows): boolean {
    if (state.day !== sum.day) {
      Object.assign(state, { day: sum.day, count: countVideoWatches(db, sum.day) })
    }
    const isNew = !hasVideoWatch(db, sum)
    if (isNew && state.count >= maxRowsADay) return false
    addVideoWatch(db, sum)
    state.count += Number(isNew)
    return true
  }

  return {
    record(watches) {
      sessions.forgetOver(now())
      const fresh = sessions.fresh(watches)
      const sums = sumsOf(fresh)
      const state = { ...rows }
      const added = writer.commit((ctx) => sums.filter((sum) => add(ctx.db, sum, state)))
      // Only committed segments count as seen: refused ones may be reported again.
      rows = state
      sessions.remember(fresh)
      counts.add('videosUncounted', 'too-many-posts', sums.length - added.length)
      for (const { milliseconds, sessions: begun } of added) {
        counts.add('videoWatched', 'seconds', milliseconds / 1000)
        counts.add('videoWatched', 'sessions', begun)
      }
    },
  }
}

type Fresh = SegmentWatch & { isFirst: boolean }

function createSessions({ counts, maxSessions = MAX_SESSIONS }: VideoWatchesOptions) {
  /** In order of their first report, which is nearly the order in which they began. */
  const known = new Map<string, Session>()
  let forgottenUpTo = 0

  function isSeen(key: string, segment: number): boolean {
    const byte = known.get(key)?.seen[segment >> 3] ?? 0
    return (byte & (1 << (segment & 7))) !== 0
  }

  function forgetOne(): void {
    const [key, { issuedAt }] = known.entries().next().value!
    known.delete(key)
    forgottenUpTo = Math.max(forgottenUpTo, issuedAt)
  }

  return {
    /** Returns the watches that count, each once; changes nothing yet. */
    fresh(watches: readonly SegmentWatch[]): Fresh[] {
      const here = new Set<string>()
      return watches.flatMap((watch) => {
        const { session, segment, issuedAt } = watch
        if (isSeen(session, segment) || here.has(`${session} ${segment}`)) return []
        const isKnown = known.has(session)
        if (!isKnown && issuedAt <= forgottenUpTo) {
          counts.add('videosUncounted', 'forgotten')
          return []
        }
        const isFirst = !isKnown && !here.has(session)
        here.add(session).add(`${session} ${segment}`)
        return { ...watch, isFirst }
      })
    },
    remember(watches: readonly Fresh[]): void {
      for (const { session, segment, issuedAt } of watches) {
        const found = known.get(session) ?? { issuedAt, seen: new Uint8Array(1) }
        known.set(session, found)
        found.seen = withCapacity(found.seen, segment)
        found.seen[segment >> 3]! |= 1 << (segment & 7)
      }
      while (known.size > maxSessions) forgetOne()
    },
    /** Forgets sessions that are over: their signatures are refused from then on. */
    forgetOver(now: number): void {
      for (const { issuedAt } of known.values()) {
        if (now - issuedAt <= REMEMBERED_MS) break
        forgetOne()
      }
    },
  }
}

function withCapacity(seen: Uint8Array, segment: number): Uint8Array {
  const bytes = (segment >> 3) + 1
  if (bytes <= seen.length) return seen
  const grown = new Uint8Array(Math.max(bytes, seen.length * 2))
  grown.set(seen)
  return grown
}

function sumsOf(watches: readonly Fresh[]): Sum[] {
  const sums = new Map<string, Sum>()
  for (const { uid, rkey, day, milliseconds, isFirst } of watches) {
    const key = `${uid} ${day} ${rkey}`
    const sum = sums.get(key) ?? { uid, rkey: packRkey(rkey), day, milliseconds: 0, sessions: 0 }
    sum.milliseconds += milliseconds
    sum.sessions += Number(isFirst)
    sums.set(key, sum)
  }
  return [...sums.values()]
}
