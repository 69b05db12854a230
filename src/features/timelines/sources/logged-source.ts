// `following:<did>` when several nodes share it: the log on their engine lists the timeline's arrivals, and
// this node's rows supply their content. Items deleted, hidden or blocked in the meantime, and those of
// accounts no longer followed, are omitted, as they are when reading from rows alone.

import type { FollowGraphReader } from '@slipstream/follow-graph'
import { type ActorReader, HIDDEN } from '../../../data/graph/types.ts'
import type { Arrival, ArrivalRange } from '../store/read/arrivals.ts'
import type { LoggedItems } from '../store/read/logged-items.ts'
import { entityIdOf } from './event-json.ts'
import type { SourceSlice, TimelineGap, TimelineSource } from './types.ts'

type LoggedEntry = { number: number; uri: string; at: number }

/** Members' logs; a source shows only entries whose rows this node has. */
export type FollowingLogs = {
  /** The highest number last reported; undefined if never asked. */
  tipOf(did: string): number | undefined
  /** Rejects if the engine is unreachable or slow. */
  read(did: string, range: ArrivalRange): Promise<{ entries: LoggedEntry[]; isEnd: boolean }>
}

type Dependencies = {
  key: string
  did: string
  uid: number
  logs: FollowingLogs
  items: LoggedItems
  actors: Pick<ActorReader, 'flagsOf'>
  graph: Pick<FollowGraphReader, 'has'>
  /** Tells which of these accounts have a block with the member. */
  blocked: (some: readonly { uid: number }[]) => (uid: number) => boolean
  describe: TimelineSource<Arrival>['describe']
  gaps: (events: readonly Arrival[], isTip: boolean) => TimelineGap[]
}

const UNKNOWN = Number.MAX_SAFE_INTEGER
/** Log reads per page if few or none of the entries are shown. */
const MAX_READS = 8

export function createLoggedSource(parts: Dependencies): TimelineSource<Arrival> {
  const { key, did, logs, describe, gaps } = parts
  /** Of the last read only: a stream reads as long as its client stays. */
  let before: ReadonlyMap<number, number> = new Map()
  let reads = 0

  /**
   * Reads one more than requested, to find the event before the last. The order of a read that was
   * too late, so that another began meanwhile, is not needed any more.
   */
  async function read(range: ArrivalRange): Promise<SourceSlice<Arrival>> {
    const turn = ++reads
    const found = await collect(parts, logs, { ...range, limit: range.limit + 1 })
    const { isForward, limit } = range
    if (turn === reads) before = orderOf(found.events, range)
    const events = found.events.slice(0, limit)
    const isEnd = found.isEnd && found.events.length <= limit
    if (events.length > 0) return { events, reached: events.at(-1)!.seq, isEnd }
    // Unless there are many, entries not shown are read again, so that readers do not miss a number.
    return { events, reached: isEnd && isForward ? range.at : found.reached, isEnd }
  }

  return {
    key,
    numbers: key,
    isNamedByRecord: true,
    tip: () => logs.tipOf(did) ?? UNKNOWN,
    read,
    before: (seq) => before.get(seq),
    describe,
    eventId: (_, entity) => entityIdOf(entity),
    gaps,
  }
}

async function collect(parts: Dependencies, logs: FollowingLogs, range: ArrivalRange) {
  const events: Arrival[] = []
  let reached = range.at
  let isEnd = false
  for (let reads = 0; reads < MAX_READS && !isEnd && events.length < range.limit; reads++) {
    const limit = range.limit - events.length
    const slice = await logs.read(parts.did, { ...range, at: reached, limit })
    events.push(...visible(parts, slice.entries))
    reached = slice.entries.at(-1)?.number ?? reached
    isEnd = slice.isEnd
  }
  return { events, reached, isEnd }
}

function visible(parts: Dependencies, entries: readonly LoggedEntry[]): Arrival[] {
  const { items, actors, graph, uid: viewer, blocked } = parts
  const found = items.byUri(entries.map(({ uri }) => uri))
  const isBlocked = blocked([...found.values()])
  return entries.flatMap(({ number, uri, at }) => {
    const namedItem = found.get(uri)
    if (!namedItem || (actors.flagsOf(namedItem.uid) & HIDDEN) !== 0) return []
    const isTheirs =
      namedItem.uid === viewer || (graph.has(viewer, namedItem.uid) && !isBlocked(namedItem.uid))
    return isTheirs ? [{ seq: number, uid: namedItem.uid, item: namedItem.item, at }] : []
  })
}

/** A reader that continues forward already has the event at `at`, which precedes the first one. */
function orderOf(
  events: readonly Arrival[],
  { at, isForward }: ArrivalRange,
): ReadonlyMap<number, number> {
  const before = new Map<number, number>()
  const upwards = isForward ? events : events.toReversed()
  let last = isForward && at > 0 ? at : undefined
  for (const { seq } of upwards) {
    if (last !== undefined) before.set(seq, last)
    last = seq
  }
  return before
}
