// Collects events into batches and hands them over one at a time: a lone event as soon as the event loop has
// drained what arrived, others some time after the last batch, since each is a transaction, and many small ones
// write the same pages again and again. Meanwhile the socket of a live stream is not read either (`onRest`). A
// batch has a maximum, in events and bytes. While one is being applied, one further batch accumulates; when
// that is full the socket must wait (`onFull`).

import type { StreamCursor, StreamGap, StreamItem } from './event.ts'
import { soon } from './platform.ts'

export type StreamBatch = {
  events: StreamItem[]
  /** Covers everything up to and including this batch. */
  cursor: StreamCursor
  /** To be saved in the same transaction. */
  gaps: StreamGap[]
  /** When the oldest of these events left the socket, by the consumer's clock. */
  receivedAtMs: number
}

export type Batcher = {
  /** `bytes`: its uncompressed size on the wire. */
  add(event: StreamItem, bytes: number): void
  addGap(gap: StreamGap): void
  /** The cursor has passed the gaps so far, though no event may follow for long: they are handed over alone. */
  passGaps(): void
  /** Hands nothing more over; resolves when the batch in hand has been applied. */
  stop(): Promise<void>
}

/** Time between two batches, unless one is full. */
const GATHER_MS = 40
/**
 * The socket rests after batches below this size that are not full, which a live stream brings at up to 1,000
 * events a second. A system keeps 64 KB and more of what arrives meanwhile, so a stream that has more to bring
 * is noticed.
 */
const REST_BELOW_BYTES = 32 * 1024

type BatcherOptions = {
  maxEvents: () => number
  maxBytes: number
  now: () => number
  /** Called at handover: the stream's position after the last event added. */
  cursor: () => StreamCursor
  apply: (batch: StreamBatch) => Promise<void>
  /** The socket need not be read for so many milliseconds. */
  onRest: (ms: number) => void
  onFull: () => void
  onSpace: () => void
}

export function createBatcher(options: BatcherOptions): Batcher {
  const { maxEvents, maxBytes, now, apply, onFull, onSpace } = options
  let events: StreamItem[] = []
  let gaps: StreamGap[] = []
  let size = 0
  let receivedAtMs = 0
  let applying: Promise<void> | undefined
  let isScheduled = false
  let isFull = false
  let isStopped = false
  let arePassed = false
  let handedOverAt = Number.NEGATIVE_INFINITY

  function add(event: StreamItem, bytes: number): void {
    if (isStopped) return
    if (events.length === 0) receivedAtMs = now()
    events.push(event)
    size += bytes
    if (events.length < maxEvents() && size < maxBytes) return void schedule()
    if (!applying) return void handOver()
    if (isFull) return
    isFull = true
    onFull()
  }

  function schedule(): void {
    if (isScheduled || applying) return
    isScheduled = true
    const waitMs = handedOverAt + GATHER_MS - performance.now()
    if (waitMs > 0) setTimeout(onScheduled, waitMs)
    else soon(onScheduled)
  }

  function onScheduled(): void {
    isScheduled = false
    if (!applying) handOver()
  }

  function handOver(): void {
    // Gaps wait for an event, unless it is known that the cursor is past them.
    const isGapDue = arePassed && gaps.length > 0
    if (isStopped || (events.length === 0 && !isGapDue)) return
    if (events.length === 0) receivedAtMs = now()
    const batch = { events, cursor: options.cursor(), gaps, receivedAtMs }
    arePassed = false
    handedOverAt = performance.now()
    const isSmall = size < REST_BELOW_BYTES && events.length < maxEvents()
    if (isSmall) options.onRest(GATHER_MS)
    events = []
    gaps = []
    size = 0
    // Rejections are deliberately not caught: a failed write stops the process.
    applying = apply(batch).then(afterApply)
  }

  function afterApply(): void {
    applying = undefined
    if (!isFull) return events.length > 0 || arePassed ? schedule() : undefined
    handOver()
    isFull = false
    onSpace()
  }

  return {
    add,
    addGap: (gap) => void gaps.push(gap),
    passGaps() {
      arePassed = true
      schedule()
    },
    stop: async () => {
      isStopped = true
      await applying
    },
  }
}
