// Tells a stream that is behind from one on which nothing happens. The consumer knows how old its last event is, and
// where nothing comes that grows, though nothing is missing: a filtered stream is silent for hours. So once a second
// it is asked whether anything came since; while nothing does and the connection stands, the lag stays what it was
// when the last event came, and what grows is how long it has been quiet. A connection that has brought nothing yet
// says nothing of how far behind it is. One that is away, or waits for the store, falls behind with every second.

import type { IngestStatus } from '../../bridge/messages.ts'
import type { StreamStatus } from '../../sources/jetstream/consumer-options.ts'

/** @returns what judges each second's status. @param now - milliseconds since 1970. */
export function createQuietWatch(
  now: () => number,
): (status: StreamStatus) => IngestStatus['stream'] {
  let seen = { received: 0, reconnects: 0, atMs: now(), lagMs: undefined as number | undefined }

  return (status) => {
    const { connected, paused, received, reconnects, lagMs } = status
    if (!connected) {
      // Whatever connects next has brought nothing yet.
      seen = { received, reconnects, atMs: now(), lagMs: undefined }
      return { ...status, quietMs: undefined }
    }
    const isMoving = received !== seen.received || paused
    if (isMoving) seen = { received, reconnects, atMs: now(), lagMs }
    else if (reconnects !== seen.reconnects) {
      seen = { received, reconnects, atMs: now(), lagMs: undefined }
    }
    return { ...status, lagMs: seen.lagMs, quietMs: now() - seen.atMs }
  }
}
