// Reads timelines by key: opens the source of each, and reads a page of one or several, with cursors in both
// directions, the previous event of each, and the known gaps. An embedded page is read in one transaction, so
// it is consistent. Reads from elsewhere are awaited outside of the transaction.

import { invalidRequest, XRPCError } from '../../../base/atproto/xrpc-error.ts'
import { timed } from '../../../base/util/turn.ts'
import type { Db } from '../../../data/store/db.ts'
import { atOneMoment } from '../../../data/store/transact.ts'
import type { DescribedEvent, PageJson } from './event-json.ts'
import { type Given, givenIn } from './given.ts'
import { type Merged, readMerged } from './merge.ts'
import type { Cursors, Position } from './signed-cursor.ts'
import { parseTimelineKey, type TimelineKey } from './timeline-key.ts'
import type { Arrived, TimelineSource } from './types.ts'

type PageRequest = {
  key: string
  limit: number
  cursor?: string | undefined
  /** Only events after this number; for a single timeline only. */
  since?: number | undefined
  direction?: 'forward' | 'backward' | undefined
  /** Whether a member reads: see TimelineKey. */
  isForOwner?: boolean
}

export type Timelines = {
  /** @throws XRPCError 400, or 404 if there is no such timeline. */
  page(request: PageRequest): PageJson | Promise<PageJson>
  /** Reads what takes long to open, some at a time; before `page` and `sources`. @throws XRPCError 400 */
  prepare(keys: readonly TimelineKey[]): Generator<void, void>
  /** @throws XRPCError 404 */
  sources(keys: readonly TimelineKey[]): TimelineSource[]
  cursors: Cursors
}

const NEWEST = Number.MAX_SAFE_INTEGER

export function createTimelines(parts: {
  db: Db
  cursors: Cursors
  /** @returns undefined if there is no such timeline. */
  open: (key: TimelineKey, isAlone: boolean) => TimelineSource | undefined
  /** Called before each transaction that reads rows. */
  begin?: () => void
  prepare?: Timelines['prepare']
}): Timelines {
  const { db, cursors, open, begin = () => {}, prepare = nothing } = parts

  function sources(keys: readonly TimelineKey[]): TimelineSource[] {
    return keys.map((key) => {
      const source = open(key, keys.length === 1)
      if (!source) throw new XRPCError(404, 'UnknownTimeline', `There is no timeline ${key.text}`)
      return source
    })
  }

  const atMoment = <Given, Result>(read: (given: Given) => Result) => {
    const reading = atOneMoment(db, read)
    return (given: Given) => {
      begin()
      return reading(given)
    }
  }

  /** Reads in one transaction if all timelines answer synchronously. */
  const read = atMoment((request: PageRequest) => {
    const opened = sources(parseTimelineKey(request.key, request.isForOwner))
    const position = positionOf(request, opened)
    const merged = timed('skeleton', () => {
      return readMerged(opened, { ...position, limit: request.limit })
    })
    if (!(merged instanceof Promise))
      return { page: describe(cursors, opened, { ...merged, position }) }
    const later = atMoment((merged: Merged) => describe(cursors, opened, { ...merged, position }))
    return { page: merged.then(later) }
  })

  /** The requested position, or the end where the direction starts. */
  function positionOf(request: PageRequest, opened: readonly TimelineSource[]): Position {
    const { key, cursor, since, direction } = request
    if (cursor !== undefined && since !== undefined) {
      throw invalidRequest('Give either a cursor or since, not both')
    }
    if (cursor !== undefined) return fromCursor(cursors.read(key, cursor), direction)
    if (since !== undefined) return fromSequence(since, opened, direction)
    const isForward = direction === 'forward'
    return { isForward, at: opened.map((source) => (isForward ? 0 : source.tip() + 1)) }
  }

  return {
    cursors,
    prepare,
    sources,
    page: (request) => read(request).page,
  }
}

function* nothing(): Generator<void, void> {}

function describe(
  cursors: Cursors,
  opened: readonly TimelineSource[],
  merged: Merged & { position: Position },
): PageJson {
  const { isForward, at } = merged.position
  const given = givenIn(opened, merged.position.given)
  const events = timed('rows', () => describeEvents(opened, merged, given))
  const key = opened.map((source) => source.key).join('+')
  const write = (position: Position) => cursors.write(key, position)
  const back = at.map((seq) => (isForward ? seq + 1 : seq - 1))
  const isLast = merged.isEnd && merged.skipped.length === 0 && !isForward
  return {
    events,
    nextCursor: isLast ? undefined : write({ isForward, at: merged.reached, given: given.marks() }),
    prevCursor: write({ isForward: !isForward, at: back, given: marksOf(opened, events) }),
    gaps: opened.flatMap((source, i) => {
      const own = eventsOf(merged, i)
      const isTip = isForward ? merged.isEnd : at[i]! > source.tip()
      return own.length > 0 || isTip ? source.gaps(own, isTip) : []
    }),
    skipped: merged.skipped,
  }
}

function fromCursor(position: Position, direction: PageRequest['direction']): Position {
  if (direction === undefined || (direction === 'forward') === position.isForward) return position
  throw invalidRequest('This cursor reads in the other direction: omit direction')
}

function fromSequence(
  since: number,
  opened: readonly TimelineSource[],
  direction: PageRequest['direction'],
): Position {
  if (opened.length > 1) {
    throw invalidRequest('since is a number of one timeline: merges go on by cursor')
  }
  if (direction === 'backward') throw invalidRequest('since reads forward')
  return { isForward: true, at: [Math.min(since, NEWEST)] }
}

/** The events that one of the timelines holds, also those that an earlier named one holds, too. */
export function eventsOf({ events }: Pick<Merged, 'events'>, source: number): Arrived[] {
  return events.filter(({ from }) => from.includes(source)).map(({ event }) => event)
}

/**
 * In the page's order, each by the first timeline that holds it. Omits events whose rows
 * disappeared after the read, and records that the walk has given.
 */
function describeEvents(
  opened: readonly TimelineSource[],
  merged: Merged,
  given: Given,
): DescribedEvent[] {
  const described = opened.map((source, i) => describeOwn(source, eventsOf(merged, i)))
  const seen = new Set<string>()
  return merged.events.flatMap(({ from, event }) => {
    const found = described[from[0]!]!.get(event.seq)
    if (!found || seen.has(found.id) || given.repeats(found.id)) return []
    seen.add(found.id)
    return found
  })
}

/** For a walk back: what this page has, the events at its beginning last. */
function marksOf(opened: readonly TimelineSource[], events: readonly DescribedEvent[]) {
  const given = givenIn(opened)
  for (const { id } of events.toReversed()) given.repeats(id)
  return given.marks()
}

/** Describes one source's events, each with the number of its predecessor. */
export function describeOwn(
  source: TimelineSource,
  events: readonly Arrived[],
): Map<number, DescribedEvent> {
  const found = new Map<number, DescribedEvent>()
  if (events.length === 0) return found
  const entities = source.describe(events)
  const upwards = [...events].sort((a, b) => a.seq - b.seq)
  let before = source.before(upwards[0]!.seq)
  for (const { seq, at } of upwards) {
    const entity = entities.get(seq)
    if (!entity) continue
    const id = source.eventId(seq, entity)
    found.set(seq, { id, timeline: source.key, seq, before, receivedAt: at, entity })
    before = seq
  }
  return found
}
