// Turns rows of blocks into batches of events, in seq order: unwanted rows are left out, unusable ones are
// counted, and lost blocks become gaps. A batch's position is that of the last row examined, wanted or not.

import {
  type DropReason,
  isBroken,
  isDid,
  type StreamEvent,
  type StreamGap,
} from '@slipstream/jetstream'
import type { BlockRows } from './block-rows.ts'
import { isCommitRow, readRow } from './row-event.ts'

export type RowBatch = {
  events: StreamEvent[]
  gaps: StreamGap[]
  /** All rows up to this one were examined. */
  seq: number
  /** Time of the latest event, in microseconds, never in the future; 0 before the first. */
  timeUs: number
}

export type RowCollector = {
  /** @returns whether the batch is full before the block's end: take it, then call again. */
  collect(rows: BlockRows): boolean
  /** Records a lost block: the next event ends its gap. */
  lose(): void
  take(): RowBatch
  /** `take`, when no event follows to end an open gap. */
  takeLast(): RowBatch
}

type RowCollectorOptions = {
  host: string
  /** Where to begin: the last row examined before. */
  seq: number
  timeUs: number
  /** Last sealed seq. */
  tipSeq: number
  collections: ReadonlySet<string>
  maxEvents: number
  maxRecordBytes: number
  now: () => number
  onDrop: (reason: DropReason) => void
}

export function createRowCollector(options: RowCollectorOptions): RowCollector {
  const { host, tipSeq, collections, maxEvents, maxRecordBytes, now, onDrop } = options
  let { seq, timeUs } = options
  let events: StreamEvent[] = []
  let gaps: StreamGap[] = []
  let lostSinceUs: number | undefined

  function collect(rows: BlockRows): boolean {
    while (rows.next()) {
      // A resumed block begins before our position; beyond the tip no row is sealed.
      if (rows.seq <= seq) continue
      if (!(rows.seq <= tipSeq)) onDrop('bad-seq')
      else {
        seq = rows.seq
        if (!isCommitRow(rows.kind) || collections.has(rows.collection)) add(rows)
      }
      if (events.length >= maxEvents) return true
    }
    return false
  }

  function add(rows: BlockRows): void {
    const event = readRow(rows, maxRecordBytes)
    if (typeof event === 'string') return drop(event, rows)
    // A row is never a notice, and never unread.
    const known = event as StreamEvent
    closeLoss(known.timeUs)
    timeUs = Math.max(timeUs, Math.min(known.timeUs, now() * 1000))
    events.push(known)
  }

  function drop(reason: DropReason, { did }: BlockRows): void {
    onDrop(reason)
    if (!isBroken(reason) || !isDid(did)) return
    gaps.push({ host, fromUs: timeUs, toUs: timeUs, cause: 'broken-event', did })
  }

  function closeLoss(toUs: number): void {
    if (lostSinceUs === undefined) return
    const fromUs = lostSinceUs
    gaps.push({ host, fromUs, toUs: Math.max(fromUs, toUs), cause: 'dropped-frame' })
    lostSinceUs = undefined
  }

  function take(): RowBatch {
    const batch = { events, gaps, seq, timeUs }
    ;[events, gaps] = [[], []]
    return batch
  }

  return {
    collect,
    take,
    lose: () => {
      lostSinceUs ??= timeUs
    },
    takeLast: () => {
      closeLoss(now() * 1000)
      return take()
    },
  }
}
