// One page of several timelines: ordered by time, then by the order in which they are named, then by number.
// Each timeline is read from its own position, all concurrently. The nearest of their next events is taken
// repeatedly; with at most 16 timelines, a linear scan is as fast as a heap. A timeline that takes longer
// than 200 ms is skipped: its position stays and the page reports it, so a reader gets its events with a
// later page.

import { within } from '../../base/util/waits.ts'
import type { ArrivalRange } from '../../data/store/read/arrivals.ts'
import type { Arrived, SourceSlice, TimelineSource } from './types.ts'

const MAX_WAIT_MS = 200

export type Merged = {
  /** `source`: the index of the timeline. */
  events: { source: number; event: Arrived }[]
  /** Where to continue in each timeline. */
  reached: number[]
  /** Whether none of the timelines that answered has further events now. */
  isEnd: boolean
  /** Keys of the timelines that did not answer in time. */
  skipped: string[]
}

type Slices = (SourceSlice | undefined)[]

/** Synchronous if all of the timelines answer synchronously. */
export function readMerged(
  sources: readonly TimelineSource[],
  request: { at: readonly number[]; isForward: boolean; limit: number },
  maxWaitMs: number = MAX_WAIT_MS,
): Merged | Promise<Merged> {
  const { isForward, limit } = request
  const asked = sources.map((source, i) => {
    const range: ArrivalRange = { at: request.at[i]!, isForward, limit }
    return source.read(range)
  })
  const finish = (slices: Slices) => merge(sources, slices, request)
  if (!asked.some((one) => one instanceof Promise)) return finish(asked as SourceSlice[])
  return Promise.all(asked.map((one) => inTime(one, maxWaitMs))).then(finish)
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

function merge(
  sources: readonly TimelineSource[],
  slices: Slices,
  { at, isForward, limit }: { at: readonly number[]; isForward: boolean; limit: number },
): Merged {
  const events: Merged['events'] = []
  const taken = slices.map(() => 0)
  while (events.length < limit) {
    const source = nearest(slices, taken, isForward)
    if (source === undefined) break
    events.push({ source, event: slices[source]!.events[taken[source]!++]! })
  }
  const isUsedUp = (slice: SourceSlice, i: number) => taken[i] === slice.events.length
  return {
    events,
    reached: slices.map((slice, i) => {
      if (!slice) return at[i]!
      if (isUsedUp(slice, i)) return slice.reached
      return taken[i] === 0 ? at[i]! : slice.events[taken[i]! - 1]!.seq
    }),
    isEnd: slices.every((slice, i) => !slice || (slice.isEnd && isUsedUp(slice, i))),
    skipped: sources.filter((_, i) => !slices[i]).map(({ key }) => key),
  }
}

/**
 * The timeline whose next event is first. Undefined once any timeline has used up its slice but has
 * more to read, since its next event is unknown.
 */
function nearest(slices: Slices, taken: readonly number[], isForward: boolean): number | undefined {
  let best: number | undefined
  for (const [i, slice] of slices.entries()) {
    if (!slice) continue
    const next = slice.events[taken[i]!]
    if (!next && !slice.isEnd) return undefined
    if (!next) continue
    const other = best === undefined ? undefined : slices[best]!.events[taken[best]!]!
    const isNearer = isForward ? !other || next.at < other.at : !other || next.at >= other.at
    if (isNearer) best = i
  }
  return best
}
