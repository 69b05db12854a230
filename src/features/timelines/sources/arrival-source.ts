// A timeline derived from rows: the arrivals written by certain accounts. A page is found in two ways.
// Walking all arrivals, cached in memory (arrival-blocks.ts), is cheap where many belong to the timeline, as
// at its newest end. Looking up each account's next arrivals is cheap where few do, as far back in the timeline of
// a member with few follows. The walk goes first, up to the cost of the look-ups, which then take over. Neither
// depends on the length of the history.

import { isTimeUp } from '../../../base/util/turn.ts'
import { HIDDEN } from '../../../data/graph/types.ts'
import type { Gap } from '../../../data/store/stream/gaps.ts'
import type { ArrivalBlocks } from '../store/read/arrival-blocks.ts'
import type { Arrival, ArrivalRange, ArrivalReader } from '../store/read/arrivals.ts'
import type { Arrived, SourceSlice, TimelineGap, TimelineSource } from './types.ts'

/** The accounts whose posts make up the timeline. */
type Originators = {
  size: number
  has(uid: number): boolean
  all(): readonly number[] | Uint32Array
  /** Filters the originators' items down to those the timeline includes. */
  taken(arrivals: readonly Arrival[]): readonly Arrival[]
}

export type ArrivalSourceContext = {
  key: string
  arrivals: ArrivalReader
  blocks: ArrivalBlocks
  flagsOf: (uid: number) => number
  originators: Originators
  describe: TimelineSource<Arrival>['describe']
  eventId: TimelineSource['eventId']
  isNamedByRecord?: boolean
  /** Gaps between these times, in microseconds. */
  gapsIn: (stretch: { fromUs: number; toUs: number }) => Gap[]
  now?: () => number
}

/** How the events of one read follow each other. */
type Order = {
  /** The number before each event, where the read tells; undefined for the very first event. */
  before: ReadonlyMap<number, number | undefined>
  /** The first event of a forward read, and the number down to which no event precedes it. */
  first?: { seq: number; freeFrom: number }
}

/** Rows to walk for each account that could be asked instead: about the same cost. */
const WALKED_AN_ACCOUNT = 3
const MIN_WALK = 1_024
/** With more accounts than this, none is looked up: the walk continues, and the page may end early. */
const MAX_REQUESTED = 4_000
const MAX_WALK = 400_000
/** First rows asked per account; few suffice, since most pages mix many accounts. */
const FIRST_REQUESTED = 8

export function createArrivalSource(context: ArrivalSourceContext): TimelineSource<Arrival> {
  const { key, arrivals, originators, now = Date.now } = context
  /** Of the last read only: a stream reads as long as its client stays. */
  let order: Order = { before: new Map() }

  function collect(range: ArrivalRange): SourceSlice<Arrival> {
    const isRequested = originators.size <= MAX_REQUESTED
    const most = isRequested ? Math.max(MIN_WALK, originators.size * WALKED_AN_ACCOUNT) : MAX_WALK
    const walked = originators.size === 1 ? nothingYet(range) : walk(context, range, most)
    const isEnough = walked.isEnd || walked.events.length === range.limit
    if (!isRequested || isEnough || isTimeUp()) return walked
    const limit = range.limit - walked.events.length
    const rest = ask(context, { ...range, at: walked.reached, limit })
    return { ...rest, events: [...walked.events, ...rest.events] }
  }

  /** Backward, reads one more than requested, to find the event before the last. */
  function read(range: ArrivalRange): SourceSlice<Arrival> {
    const { isForward, limit } = range
    const found = collect(isForward ? range : { ...range, limit: limit + 1 })
    order = orderOf(found, range)
    return found.events.length < limit ? found : cut(found.events, limit)
  }

  return {
    key,
    numbers: 'arrivals',
    isNamedByRecord: context.isNamedByRecord === true,
    tip: () => arrivals.tip(),
    read,
    before(seq) {
      if (order.before.has(seq)) return order.before.get(seq)
      const at = order.first?.seq === seq ? order.first.freeFrom : seq
      return collect({ at, isForward: false, limit: 1 }).events[0]?.seq
    },
    describe: context.describe,
    eventId: context.eventId,
    gaps: (events, isTip) => gapsAround(context.gapsIn, events, isTip ? now() : undefined),
  }
}

function orderOf({ events, isEnd }: SourceSlice<Arrival>, { at, isForward }: ArrivalRange): Order {
  const before = new Map<number, number | undefined>()
  for (let i = 1; i < events.length; i++) {
    const [value, next] = [events[i - 1]!.seq, events[i]!.seq]
    if (isForward) before.set(next, value)
    else before.set(value, next)
  }
  const lowest = events.at(isForward ? 0 : -1)
  const isFirstKnown = isForward ? at === 0 : isEnd
  if (lowest && isFirstKnown) before.set(lowest.seq, undefined)
  return isForward && lowest ? { before, first: { seq: lowest.seq, freeFrom: at + 1 } } : { before }
}

/** Walks the arrivals of all accounts until there are enough events or the walk is too long. */
function walk(
  context: ArrivalSourceContext,
  range: ArrivalRange,
  most: number,
): SourceSlice<Arrival> {
  const events: Arrival[] = []
  let { at } = range
  for (let looked = 0; looked < most; ) {
    // A draw that dropped some events will drop more.
    const limit = (range.limit - events.length) * (looked === 0 ? 1 : 4)
    const step = { ...range, at, limit, most: most - looked }
    const walked = context.blocks.walk(step, (uid) => isVisible(context, uid))
    events.push(...context.originators.taken(walked.found))
    at = walked.reached
    looked += walked.looked
    if (events.length >= range.limit) return cut(events, range.limit)
    if (walked.isEnd) return { events, reached: at, isEnd: true }
    if (isTimeUp()) break
  }
  return { events, reached: at, isEnd: false }
}

function isVisible({ originators, flagsOf }: ArrivalSourceContext, uid: number): boolean {
  return originators.has(uid) && (flagsOf(uid) & HIDDEN) === 0
}

/**
 * Asks accounts, nearest next event first, until no account can add to the first `limit` events.
 */
function ask(
  context: ArrivalSourceContext,
  { at, isForward, limit }: ArrivalRange,
): SourceSlice<Arrival> {
  const { arrivals } = context
  const sign = isForward ? 1 : -1
  const heads = headsOf(context, { at, isForward })
  heads.sort((a, b) => (a[1] - b[1]) * sign)
  let events: Arrival[] = []
  const isFull = () => events.length >= limit
  const furthest = () => (isFull() ? events[limit - 1]!.seq : sign * Number.MAX_SAFE_INTEGER)
  for (const [i, [uid, head]] of heads.entries()) {
    if ((head - furthest()) * sign > 0) break
    if (i > 0 && isTimeUp()) return upTo(events, head - sign, isForward)
    events.push(...takenOf(context, uid, { at, isForward, limit, until: furthest() }))
    events.sort((a, b) => (a.seq - b.seq) * sign)
    events = events.slice(0, limit)
  }
  if (isFull()) return cut(events, limit)
  const last = events.at(-1)?.seq ?? at
  return { events, reached: isForward ? Math.max(last, arrivals.tip()) : last, isEnd: true }
}

/** What was read of all accounts: the events up to a number. */
function upTo(
  events: readonly Arrival[],
  reached: number,
  isForward: boolean,
): SourceSlice<Arrival> {
  const isRead = ({ seq }: Arrival) => (isForward ? seq <= reached : seq >= reached)
  return { events: events.filter(isRead), reached, isEnd: false }
}

/**
 * The accounts with any event in this direction, each with its first. A single account is not
 * asked.
 */
function headsOf(
  { arrivals, originators }: ArrivalSourceContext,
  range: Omit<ArrivalRange, 'limit'>,
): [uid: number, seq: number][] {
  const uids = originators.all()
  return uids.length === 1 ? [[uids[0]!, range.at]] : arrivals.heads(uids, range)
}

/** The account's next events in this timeline; a draw may drop most of them. */
function takenOf(
  context: ArrivalSourceContext,
  uid: number,
  range: ArrivalRange & { until: number },
): Arrival[] {
  const { arrivals, originators } = context
  if (!isVisible(context, uid)) return []
  const taken: Arrival[] = []
  let { at } = range
  let limit = originators.size === 1 ? range.limit : Math.min(FIRST_REQUESTED, range.limit)
  for (let isEnd = false; !isEnd && taken.length < range.limit; limit = range.limit) {
    const rows = arrivals.of(uid, { ...range, at, limit })
    taken.push(...originators.taken(rows))
    isEnd = rows.length < limit
    at = rows.at(-1)?.seq ?? at
  }
  return taken
}

function cut(all: readonly Arrival[], limit: number): SourceSlice<Arrival> {
  const events = all.slice(0, limit)
  return { events, reached: events.at(-1)!.seq, isEnd: false }
}

function nothingYet({ at }: ArrivalRange): SourceSlice<Arrival> {
  return { events: [], reached: at, isEnd: false }
}

/** The gaps of the stream and of accounts around the time of these events. */
export function gapsAround(
  gapsIn: ArrivalSourceContext['gapsIn'],
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
