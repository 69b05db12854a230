// What a timeline is to whoever reads it by arrival: a source that can be read from any number on, both ways.
//
// Numbers (`seq`) only grow, and are a source's own: merging compares times. Embedded sources answer at once; one
// that has to ask elsewhere may take its time, and is passed over where it takes too long (merge.ts).

import type { Gap } from '../../data/store/gaps.ts'
import type { ArrivalRange } from '../../data/store/read/arrivals.ts'

/** An event before anything was read of what it is about. */
export type Arrived = { seq: number; at: number }

/** What it is about, in the words of the API. */
export type Entity = {
  /** An at-URI, or what the producer calls it. */
  id: string
  type: string
  /** JSON. */
  payload: string
  /** Milliseconds. */
  producerTs: number
  /** All of that as it stands in an event's JSON, as byte text, where it was written before (event-json.ts). */
  fields?: string
}

export type SourceSlice<T extends Arrived = Arrived> = {
  /** In the direction of reading. */
  events: T[]
  /** Where to go on: everything up to here was looked at. */
  reached: number
  /** There is nothing beyond it now. */
  isEnd: boolean
}

/** What is missing: of the stream, by time; of a numbered timeline, by number. */
export type TimelineGap =
  | { kind: 'stream' | 'account'; gap: Gap }
  | { kind: 'skipped' | 'awaited'; from: number; to: number; since: number }

export interface TimelineSource<T extends Arrived = Arrived> {
  readonly key: string
  /** The highest number that may be seen now; nothing that comes later has it or a lower one. */
  tip(): number
  read(range: ArrivalRange): SourceSlice<T> | Promise<SourceSlice<T>>
  /** The number of the event before this one; undefined where it is the first. */
  before(seq: number): number | undefined
  /** By number; what is gone meanwhile is left out. */
  describe(events: readonly T[]): Map<number, Entity>
  /** Known to be missing around these events; `isTip`: nothing newer is here. */
  gaps(events: readonly Arrived[], isTip: boolean): TimelineGap[]
}
