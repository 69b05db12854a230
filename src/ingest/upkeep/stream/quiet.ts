// Distinguishes a stream that is behind from a quiet one. The consumer knows only its last event's age, which grows
// on a quiet stream although nothing is missing; filtered streams are silent for hours. So once a second this
// checks for new events: without any, on an open connection, the lag stays as at the last event and the quiet
// time grows. Before its first event a connection says nothing about the lag. One that is down, or waits for
// the store, falls behind every second.

import type { StreamStatus } from '@slipstream/jetstream'
import type { IngestStatus } from '../../../bridge/messages.ts'

/** @returns a function that judges each second's status. @param now - milliseconds since 1970. */
export function createQuietWatch(
  now: () => number,
): (status: StreamStatus) => IngestStatus['stream'] {
  let connectedAtMs = now()
  let seen = { received: 0, reconnects: 0, atMs: now(), lagMs: undefined as number | undefined }

  return (status) => {
    const { connected, paused, received, reconnects, lagMs } = status
    if (!connected) {
      // The next connection has received nothing yet.
      seen = { received, reconnects, atMs: now(), lagMs: undefined }
      return { ...status, quietMs: undefined, awayMs: now() - connectedAtMs }
    }
    connectedAtMs = now()
    const isMoving = received !== seen.received || paused
    if (isMoving) seen = { received, reconnects, atMs: now(), lagMs }
    else if (reconnects !== seen.reconnects) {
      seen = { received, reconnects, atMs: now(), lagMs: undefined }
    }
    return { ...status, lagMs: seen.lagMs, quietMs: now() - seen.atMs }
  }
}
