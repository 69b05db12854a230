// A timeline that follows from rows: of everything that arrived, what some accounts wrote.
//
// Two ways lead to a page. Walking over all arrivals is cheap where much of it belongs to the timeline, as at the
// tip; asking each account for its next ones is cheap where little does, as far back in the timeline of somebody
// who follows few. The walk comes first, as far as asking would cost; then the accounts are asked.

import { HIDDEN } from '../../data/graph/types.ts'
import type { Gap } from '../../data/store/gaps.ts'
import type { Arrival, ArrivalRange, ArrivalReader } from '../../data/store/read/arrivals.ts'
import type { Arrived, Entity, SourceSlice, TimelineGap, TimelineSource } from './types.ts'

/** Whose posts it is made of. */
type Originators = {
  size: number
  has(uid: number): boolean
  all(): readonly number[] | Uint32Array
  /** Which of their items it takes. */
  takes(arrival: Arrival): boolean
}

export type ArrivalSourceParts = {
  key: string
  arrivals: ArrivalReader
  flagsOf: (uid: number) => number
  originators: Originators
  describe: (events: readonly Arrival[]) => Map<number, Entity>
  /** Between these times, in microseconds. */
  gapsIn: (stretch: { fromUs: number; toUs: number }) => Gap[]
  now?: () => number
}

/** Rows of a step of the walk: of the first few at first, since at the tip the next ones are near. */
const FIRST_CHUNK = 32
const CHUNK = 512
/** Rows walked over for each account that could be asked instead: about what they cost. */
const WALKED_AN_ACCOUNT = 3
const MIN_WALK = 1_024
/** Of more accounts than this nobody is asked: the walk goes on, and the page may end early. */
const MAX_ASKED = 20_000
const MAX_WALK = 400_000

export function createArrivalSource(parts: ArrivalSourceParts): TimelineSource<Arrival> {
  const { key, arrivals, originators, now = Date.now } = parts

  function read(range: ArrivalRange): SourceSlice<Arrival> {
    const isAsked = originators.size <= MAX_ASKED
    const most = isAsked ? Math.max(MIN_WALK, originators.size * WALKED_AN_ACCOUNT) : MAX_WALK
    const walked = originators.size === 1 ? nothingYet(range) : walk(parts, range, most)
    if (!isAsked || walked.isEnd || walked.events.length === range.limit) return walked
    const limit = range.limit - walked.events.length
    const rest = ask(parts, { ...range, at: walked.reached, limit })
    return { ...rest, events: [...walked.events, ...rest.events] }
  }

  return {
    key,
    tip: () => arrivals.tip(),
    read,
    before: (seq) => read({ at: seq, isForward: false, limit: 1 }).events[0]?.seq,
    describe: parts.describe,
    gaps: (events, isTip) => gapsAround(parts.gapsIn, events, isTip ? now() : undefined),
  }
}

function belongs({ originators, flagsOf }: ArrivalSourceParts, arrival: Arrival): boolean {
  const { uid } = arrival
  if (!originators.has(uid) || (flagsOf(uid) & HIDDEN) !== 0) return false
  return originators.takes(arrival)
}

/** Everybody's, one after the other, until there are enough or it went on for too long. */
function walk(parts: ArrivalSourceParts, range: ArrivalRange, most: number): SourceSlice<Arrival> {
  const events: Arrival[] = []
  let reached = range.at
  let chunk = FIRST_CHUNK
  for (let walked = 0; walked < most; walked += chunk, chunk = Math.min(CHUNK, chunk * 2)) {
    const rows = parts.arrivals.all({ ...range, at: reached, limit: chunk })
    for (const row of rows) {
      reached = row.seq
      if (!belongs(parts, row)) continue
      if (events.push(row) === range.limit) return { events, reached, isEnd: false }
    }
    if (rows.length < chunk) return { events, reached, isEnd: true }
  }
  return { events, reached, isEnd: false }
}

/** The accounts whose next is the nearest first, until nobody's can be among the first so many. */
function ask(
  parts: ArrivalSourceParts,
  { at, isForward, limit }: ArrivalRange,
): SourceSlice<Arrival> {
  const { arrivals, originators } = parts
  const sign = isForward ? 1 : -1
  const heads = arrivals.heads(originators.all(), { at, isForward })
  heads.sort((a, b) => (a[1] - b[1]) * sign)
  let events: Arrival[] = []
  const isFull = () => events.length >= limit
  const furthest = () => (isFull() ? events[limit - 1]!.seq : sign * Number.MAX_SAFE_INTEGER)
  for (const [uid, head] of heads) {
    if ((head - furthest()) * sign > 0) break
    events.push(...takenOf(parts, uid, { at, isForward, limit, until: furthest() }))
    events.sort((a, b) => (a.seq - b.seq) * sign)
    events = events.slice(0, limit)
  }
  if (isFull()) return { events, reached: events.at(-1)!.seq, isEnd: false }
  const last = events.at(-1)?.seq ?? at
  return { events, reached: isForward ? Math.max(last, arrivals.tip()) : last, isEnd: true }
}

/** The account's next ones that belong here: a draw may pass over most of them. */
function takenOf(
  parts: ArrivalSourceParts,
  uid: number,
  range: ArrivalRange & { until: number },
): Arrival[] {
  const taken: Arrival[] = []
  let { at } = range
  for (let isEnd = false; !isEnd && taken.length < range.limit; ) {
    const rows = parts.arrivals.of(uid, { ...range, at })
    taken.push(...rows.filter((row) => belongs(parts, row)))
    isEnd = rows.length < range.limit
    at = rows.at(-1)?.seq ?? at
  }
  return taken
}

function nothingYet({ at }: ArrivalRange): SourceSlice<Arrival> {
  return { events: [], reached: at, isEnd: false }
}

/** What the stream or an account still misses from the time of these events. */
export function gapsAround(
  gapsIn: ArrivalSourceParts['gapsIn'],
  events: readonly Arrived[],
  nowMs: number | undefined,
): TimelineGap[] {
  const times = events.map(({ at }) => at)
  const to = nowMs ?? Math.max(...times)
  const from = Math.min(...times, to)
  if (!Number.isFinite(to)) return []
  return gapsIn({ fromUs: from * 1_000, toUs: to * 1_000 }).map((gap) => ({
    kind: gap.did === undefined ? 'stream' : 'account',
    gap,
  }))
}
