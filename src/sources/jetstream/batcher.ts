// Collects events into batches and hands them over one at a time: as soon as the event loop has drained what
// arrived, so a lone event does not wait; while catching up, some time after the last one, since many small
// batches write the same pages again and again. A batch has a maximum, in events and bytes. While one is
// being applied, one further batch accumulates; when that is full the socket must wait (`onFull`).

import type { StreamCursor, StreamGap, StreamItem } from '../../base/event.ts'
import { SECOND_MS } from '../../base/util/durations.ts'
import { CATCHING_UP_PER_S } from './limits.ts'

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
  /** Hands nothing more over; resolves when the batch in hand has been applied. */
  stop(): Promise<void>
}

/** Time between two batches while catching up, unless one is full. */
const GATHER_MS = 50

type BatcherOptions = {
  maxEvents: () => number
  maxBytes: number
  now: () => number
  /** Called at handover: the stream's position after the last event added. */
  cursor: () => StreamCursor
  apply: (batch: StreamBatch) => Promise<void>
  onFull: () => void
  onRoom: () => void
}

export function createBatcher(options: BatcherOptions): Batcher {
  const { maxEvents, maxBytes, now, apply, onFull, onRoom } = options
  let events: StreamItem[] = []
  let gaps: StreamGap[] = []
  let size = 0
  let receivedAtMs = 0
  let applying: Promise<void> | undefined
  let isScheduled = false
  let isFull = false
  let isStopped = false
  const gathering = createGathering()

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
    gathering.wait(onScheduled)
  }

  function onScheduled(): void {
    isScheduled = false
    if (!applying) handOver()
  }

  function handOver(): void {
    // Gaps wait for an event: only then is the cursor past them.
    if (isStopped || events.length === 0) return
    const batch = { events, cursor: options.cursor(), gaps, receivedAtMs }
    gathering.handedOver(events.length)
    events = []
    gaps = []
    size = 0
    // Rejections are deliberately not caught: a failed write stops the process.
    applying = apply(batch).then(afterApply)
  }

  function afterApply(): void {
    applying = undefined
    if (!isFull) return events.length > 0 ? schedule() : undefined
    handOver()
    isFull = false
    onRoom()
  }

  return {
    add,
    addGap: (gap) => void gaps.push(gap),
    stop: async () => {
      isStopped = true
      await applying
    },
  }
}

/** Waits for more events; no longer than a turn unless the last batch came faster than any live stream. */
function createGathering() {
  let at = 0
  let gatherMs = 0
  return {
    handedOver(events: number): void {
      const now = performance.now()
      gatherMs = events > ((now - at) / SECOND_MS) * CATCHING_UP_PER_S ? GATHER_MS : 0
      at = now
    },
    wait(onEnd: () => void): void {
      const ms = gatherMs - (performance.now() - at)
      if (ms > 0) setTimeout(onEnd, ms)
      else setImmediate(onEnd)
    },
  }
}
