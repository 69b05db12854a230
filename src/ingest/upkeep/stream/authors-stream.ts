// Brings of members and those they follow what the main stream leaves out: as many connections as the number of
// accounts needs, each filtered by account. It begins at a cursor of the main stream, and says up to when it
// has brought everything. A change of its accounts or collections opens it anew, a little earlier; what comes
// twice is written once.

import type { Consumer, StreamCursor, StreamFilters } from '@slipstream/jetstream'
import { MINUTE_MS, SECOND_MS } from '../../../base/util/durations.ts'

/** What a server filters by. */
export const MAX_DIDS = 10_000
export const MAX_PARTS = 4

type Part = { consumer: Consumer; received: number; quietSince: number }

export type AuthorsStream = {
  collections(): readonly string[]
  /** Begins at this cursor in place of what was open; without collections, it is closed. */
  open(collections: readonly string[], from: StreamCursor | undefined): Promise<void>
  /** All its connections are there. */
  isConnected(): boolean
  /** Looks where it is; called every few seconds. */
  look(): void
  /** Everything up to then was brought and written, in milliseconds. */
  completeUntil(): number
  stop(): Promise<void>
}

/** Without events for this long, a connected stream has caught up and its accounts are silent. */
const QUIET_MS = 3 * MINUTE_MS
const LIVE_MS = 30 * SECOND_MS
/** Order and clocks differ by less. */
const MARGIN_MS = 10 * SECOND_MS

export function createAuthorsStream(options: {
  dids: () => readonly string[]
  connect: (filters: StreamFilters, from: StreamCursor | undefined) => Consumer
  now: () => number
}): AuthorsStream {
  const { dids, connect, now } = options
  let collections: readonly string[] = []
  let parts: Part[] = []
  let completeUntil = 0

  async function open(wanted: readonly string[], from: StreamCursor | undefined): Promise<void> {
    const before = parts
    collections = wanted
    parts = []
    completeUntil = (from?.timeUs ?? 0) / 1000
    await stopAll(before)
    if (wanted.length === 0) return
    parts = chunksOf(dids()).map((chunk) => {
      const consumer = connect({ collections: wanted, dids: chunk }, from)
      consumer.start()
      return { consumer, received: 0, quietSince: now() }
    })
  }

  function completeOf(part: Part): number {
    const { connected, lagMs, received } = part.consumer.status()
    if (!connected || received !== part.received) part.quietSince = now()
    part.received = received
    if (!connected) return 0
    if (lagMs !== undefined && lagMs < LIVE_MS) return now() - lagMs - MARGIN_MS
    return now() - part.quietSince >= QUIET_MS ? now() - MARGIN_MS : 0
  }

  return {
    collections: () => collections,
    open,
    isConnected: () =>
      parts.every(({ consumer }) => {
        const { connected, filtersSent } = consumer.status()
        return connected && filtersSent
      }),
    look() {
      if (parts.length === 0) return
      completeUntil = Math.max(completeUntil, Math.min(...parts.map(completeOf)))
    },
    completeUntil: () => (collections.length === 0 ? now() : completeUntil),
    stop: () => stopAll(parts),
  }
}

async function stopAll(parts: readonly Part[]): Promise<void> {
  await Promise.all(parts.map(({ consumer }) => consumer.stop()))
}

/** Even an empty list is a filter: it names nobody. */
function chunksOf(dids: readonly string[]): (readonly string[])[] {
  const count = Math.max(1, Math.ceil(dids.length / MAX_DIDS))
  return Array.from({ length: count }, (_, i) => dids.slice(i * MAX_DIDS, (i + 1) * MAX_DIDS))
}
