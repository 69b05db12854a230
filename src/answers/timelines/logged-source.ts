// `following:<did>` where several nodes share it: the log on their engine says what came to the timeline, and this node's
// rows say what that is. What was deleted, hidden or blocked meanwhile, and what accounts wrote that are followed no
// more, is left out, as it is where rows alone are read.

import type { LoggedEntry } from '../../data/engine/following-log.ts'
import { type ActorReader, type FollowGraphReader, HIDDEN } from '../../data/graph/types.ts'
import type { Arrival, ArrivalRange } from '../../data/store/read/arrivals.ts'
import type { LoggedItems } from '../../data/store/read/logged-items.ts'
import type { Entity, SourceSlice, TimelineGap, TimelineSource } from './types.ts'

/** Members' logs, as far as this node has what they speak of. */
export type FollowingLogs = {
  /** Highest number, as it was last asked for; undefined where it never was. */
  tipOf(did: string): number | undefined
  /** Rejects where the engine is away or slow. */
  read(did: string, range: ArrivalRange): Promise<{ entries: LoggedEntry[]; isEnd: boolean }>
}

type Parts = {
  key: string
  did: string
  uid: number
  logs: FollowingLogs
  items: LoggedItems
  actors: Pick<ActorReader, 'flagsOf'>
  graph: Pick<FollowGraphReader, 'has'>
  /** Which of these accounts a block parts from the member. */
  blocked: (some: readonly { uid: number }[]) => (uid: number) => boolean
  describe: (events: readonly Arrival[]) => Map<number, Entity>
  gaps: (events: readonly Arrival[], isTip: boolean) => TimelineGap[]
}

const UNKNOWN = Number.MAX_SAFE_INTEGER
/** Of a log of which nothing is to be shown, so much is looked at for one page. */
const MAX_READS = 8

export function createLoggedSource(parts: Parts): TimelineSource<Arrival> {
  const { key, did, logs, describe, gaps } = parts
  const before = new Map<number, number>()

  /** One more than asked for tells what stands before the last. */
  async function read(range: ArrivalRange): Promise<SourceSlice<Arrival>> {
    const found = await collect(parts, logs, { ...range, limit: range.limit + 1 })
    const { isForward, limit } = range
    noteOrder(before, found.events, range)
    const events = found.events.slice(0, limit)
    const isEnd = found.isEnd && found.events.length <= limit
    if (events.length > 0) return { events, reached: events.at(-1)!.seq, isEnd }
    // Unless there is much of it, what is not shown is looked at again: then nobody is told that they miss it.
    return { events, reached: isEnd && isForward ? range.at : found.reached, isEnd }
  }

  return {
    key,
    tip: () => logs.tipOf(did) ?? UNKNOWN,
    read,
    before: (seq) => before.get(seq),
    describe,
    gaps,
  }
}

async function collect(parts: Parts, logs: FollowingLogs, range: ArrivalRange) {
  const events: Arrival[] = []
  let reached = range.at
  let isEnd = false
  for (let reads = 0; reads < MAX_READS && !isEnd && events.length < range.limit; reads++) {
    const limit = range.limit - events.length
    const slice = await logs.read(parts.did, { ...range, at: reached, limit })
    events.push(...shown(parts, slice.entries))
    reached = slice.entries.at(-1)?.number ?? reached
    isEnd = slice.isEnd
  }
  return { events, reached, isEnd }
}

function shown(parts: Parts, entries: readonly LoggedEntry[]): Arrival[] {
  const { items, actors, graph, uid: viewer, blocked } = parts
  const found = items.byUri(entries.map(({ uri }) => uri))
  const isBlocked = blocked([...found.values()])
  return entries.flatMap(({ number, uri, at }) => {
    const one = found.get(uri)
    if (!one || (actors.flagsOf(one.uid) & HIDDEN) !== 0) return []
    const isTheirs = one.uid === viewer || (graph.has(viewer, one.uid) && !isBlocked(one.uid))
    return isTheirs ? [{ seq: number, uid: one.uid, item: one.item, at }] : []
  })
}

/** Who reads on has the one that they read on from. */
function noteOrder(
  before: Map<number, number>,
  events: readonly Arrival[],
  { at, isForward }: ArrivalRange,
): void {
  const upwards = isForward ? events : events.toReversed()
  let last = isForward && at > 0 ? at : undefined
  for (const { seq } of upwards) {
    if (last !== undefined) before.set(seq, last)
    last = seq
  }
}
