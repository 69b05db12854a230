// One page of several timelines. Those that number alike (posts and reposts of `following:`, `author:` and
// `list:`) are merged by number: a record that several of them hold has one number and comes once, and all of
// them go on behind it, so that no later page repeats it. The others are ordered by time, then as they are
// named. Each timeline is read from its own position, all concurrently; one that takes longer than 200 ms is
// skipped: its position stays and the page reports it, so a reader gets its events with a later page.

import { within } from '../../../base/util/waits.ts'
import type { ArrivalRange } from '../store/read/arrivals.ts'
import type { Arrived, SourceSlice, TimelineSource } from './types.ts'

const MAX_WAIT_MS = 200

/** `from`: the indexes of the timelines that hold it, as they are named. */
export type MergedEvent<T extends Arrived = Arrived> = { from: readonly number[]; event: T }

export type Merged<T extends Arrived = Arrived> = {
  events: MergedEvent<T>[]
  /** Where to continue in each timeline. */
  reached: number[]
  /** Whether none of the timelines that answered has further events now. */
  isEnd: boolean
  /** Keys of the timelines that did not answer in time. */
  skipped: string[]
}

type Slices<T extends Arrived = Arrived> = (SourceSlice<T> | undefined)[]

/** Synchronous if all of the timelines answer synchronously. */
export function readMerged(
  sources: readonly TimelineSource[],
  request: { at: readonly number[]; isForward: boolean; limit: number },
  maxWaitMs: number = MAX_WAIT_MS,
): Merged | Promise<Merged> {
  const { isForward, limit } = request
  const requested = sources.map((source, i) => {
    const range: ArrivalRange = { at: request.at[i]!, isForward, limit }
    return source.read(range)
  })
  const finish = (slices: Slices) => merge(sources, slices, request)
  if (!requested.some((slice) => slice instanceof Promise))
    return finish(requested as SourceSlice[])
  return Promise.all(requested.map((slice) => inTime(slice, maxWaitMs))).then(finish)
}

/** Treats a failed read like a late one: undefined. */
async function inTime(
  slice: SourceSlice | Promise<SourceSlice>,
  maxWaitMs: number,
): Promise<SourceSlice | undefined> {
  if (!(slice instanceof Promise)) return slice
  return within(
    maxWaitMs,
    slice.catch(() => undefined),
  )
}

/** Merges what was read of each source; of a skipped one, undefined. */
export function merge<T extends Arrived>(
  sources: readonly Pick<TimelineSource, 'key' | 'numbers'>[],
  slices: Slices<T>,
  { at, isForward, limit }: { at: readonly number[]; isForward: boolean; limit: number },
): Merged<T> {
  const events: MergedEvent<T>[] = []
  const taken = slices.map(() => 0)
  const next = (i: number) => slices[i]?.events[taken[i]!]
  const groups = groupsOf(sources)
  const isUsedUp = (slice: SourceSlice<T>, i: number) => taken[i] === slice.events.length
  // While a timeline has more to read than was read, its next event is unknown.
  const isUnknown = () => slices.some((slice, i) => slice && !slice.isEnd && isUsedUp(slice, i))
  while (events.length < limit && !isUnknown()) {
    const heads = groups.map((group) => headOf(group, next, isForward))
    const found = nearest(heads, isForward)
    if (!found) break
    for (const i of found.from) taken[i]!++
    events.push(found)
  }
  const reached = slices.map((slice, i) => {
    if (!slice) return at[i]!
    if (isUsedUp(slice, i)) return slice.reached
    return taken[i] === 0 ? at[i]! : slice.events[taken[i]! - 1]!.seq
  })
  for (const { from, event } of events) moveOn(sources, reached, { from, event, isForward })
  return {
    events,
    reached,
    isEnd: slices.every((slice, i) => !slice || (slice.isEnd && isUsedUp(slice, i))),
    skipped: sources.filter((_, i) => !slices[i]).map(({ key }) => key),
  }
}

/** The indexes of the timelines that number alike, together. */
function groupsOf(sources: readonly Pick<TimelineSource, 'numbers'>[]): number[][] {
  const all = sources.map((_, i) => i)
  return [...Map.groupBy(all, (i) => sources[i]!.numbers).values()]
}

/** The next event of a group. */
function headOf<T extends Arrived>(
  group: readonly number[],
  next: (i: number) => T | undefined,
  isForward: boolean,
): MergedEvent<T> | undefined {
  let event: T | undefined
  for (const i of group) {
    const item = next(i)
    if (item && (!event || (isForward ? item.seq < event.seq : item.seq > event.seq))) event = item
  }
  const seq = event?.seq
  return event && { event, from: group.filter((i) => next(i)?.seq === seq) }
}

/** Of events of the same time, the one of the group that is named first; backward, last. */
function nearest<T extends Arrived>(
  heads: readonly (MergedEvent<T> | undefined)[],
  isForward: boolean,
): MergedEvent<T> | undefined {
  let best: MergedEvent<T> | undefined
  for (const head of heads) {
    if (!head) continue
    const [at, other] = [head.event.at, best?.event.at]
    if (other === undefined || (isForward ? at < other : at >= other)) best = head
  }
  return best
}

/**
 * Moves the positions of all timelines that number like these behind an event: they were examined
 * up to there, and must not give it again if they come to hold it later.
 */
export function moveOn(
  sources: readonly Pick<TimelineSource, 'numbers'>[],
  at: number[],
  { from, event, isForward }: MergedEvent & { isForward: boolean },
): void {
  const { numbers } = sources[from[0]!]!
  for (const [i, source] of sources.entries()) {
    if (source.numbers !== numbers) continue
    at[i] = isForward ? Math.max(at[i]!, event.seq) : Math.min(at[i]!, event.seq)
  }
}
