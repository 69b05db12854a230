// The interface for reading timelines by arrival: a source that can be read from any number, in both
// directions. Numbers (`seq`) only grow. Sources that number alike are merged by number, others by time.
// Embedded sources answer synchronously; remote ones may take a while, and are skipped if they take too long
// (merge.ts).

import type { Gap } from '../../../data/store/stream/gaps.ts'
import type { ArrivalRange } from '../store/read/arrivals.ts'

/** An event whose content has not been read yet. */
export type Arrived = { seq: number; at: number }

/** The content of an event. */
export type Entity = PlainEntity | WrittenEntity

/** The content in the terms of the API. */
export type PlainEntity = {
  /** An at-URI, or the producer's own id. */
  id: string
  type: string
  /** JSON text. */
  payload: string
  /** Milliseconds. */
  producerTs: number
}

/** The same, already serialised (event-json.ts). */
export type WrittenEntity = {
  /** All fields as they appear in an event's JSON, as byte text. */
  fields: string
}

export type SourceSlice<T extends Arrived = Arrived> = {
  /** In the direction of reading. */
  events: T[]
  /** Where to continue: everything up to here was examined. */
  reached: number
  /** Whether there are no events beyond it now. */
  isEnd: boolean
}

/** A gap: of the stream or an account, by time; of a numbered timeline, by number. */
export type TimelineGap =
  | { kind: 'stream' | 'account'; gap: Gap }
  | { kind: 'skipped' | 'awaited'; from: number; to: number; since: number }

export interface TimelineSource<T extends Arrived = Arrived> {
  readonly key: string
  /**
   * Name of the sequence that numbers come from. Sources with the same one give a record the same
   * number, so a merge recognises it.
   */
  readonly numbers: string
  /** Its events are named by their records alone, so that sources of other numbers name them likewise. */
  readonly isNamedByRecord?: boolean
  /** The highest number visible now; later events always have higher ones. */
  tip(): number
  read(range: ArrivalRange): SourceSlice<T> | Promise<SourceSlice<T>>
  /** The number of the previous event; undefined for the first. */
  before(seq: number): number | undefined
  /** By number; omits events whose rows are gone. */
  describe(events: readonly T[]): Map<number, Entity>
  /** Identifies the event among all timelines: the same in each that holds it. */
  eventId(seq: number, entity: Entity): string
  /** Known gaps around these events; `isTip`: there are no newer events here. */
  gaps(events: readonly Arrived[], isTip: boolean): TimelineGap[]
}
