// The clock of a test world (world.ts) and its stream: events are applied as they are made, or held back.

import type { StreamEvent } from '@slipstream/jetstream'
import { applyBatch } from '../../src/ingest/indexing/apply-batch.ts'
import type { BatchOutcome } from '../../src/ingest/indexing/commit-sparing.ts'
import type { WorldStore } from './world-store.ts'

export type WorldClock = ReturnType<typeof createWorldClock>
export type WorldStream = ReturnType<typeof createWorldStream>

/** @param startAt - milliseconds since 1970 */
export function createWorldClock(startAt: number) {
  let clockUs = startAt * 1000
  const now = () => Math.floor(clockUs / 1000)
  return {
    /** Milliseconds since 1970. */
    now,
    isoNow: () => new Date(now() + 1).toISOString(),
    /** Advances the clock; returns microseconds. */
    tick(ms = 1): number {
      clockUs += ms * 1000
      return clockUs
    },
  }
}

export function createWorldStream(store: WorldStore) {
  const sent: StreamEvent[] = []
  let held: StreamEvent[] | undefined

  function commit(batch: Parameters<typeof applyBatch>[1]): BatchOutcome {
    return store.run((ctx) => applyBatch(ctx, batch))
  }

  /** Applies the events as one batch. */
  function apply(events: StreamEvent[]): BatchOutcome {
    return commit({ events })
  }

  function emit(event: StreamEvent): void {
    sent.push(event)
    if (held) held.push(event)
    else apply([event])
  }

  /** Returns the events made inside `act` instead of applying them. */
  function hold(act: () => void): StreamEvent[] {
    held = []
    try {
      act()
      return held
    } finally {
      held = undefined
    }
  }

  return { sent, commit, apply, emit, hold }
}
