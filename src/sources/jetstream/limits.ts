// Every bound of the consumer in one place, with its default.

import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../base/util/durations.ts'

export type ConsumerLimits = {
  /** Events handed over at once under load; the more, the fewer pages are written twice. */
  maxBatchEvents: number
  /** The same in bytes of content: what two batches may hold in memory. */
  maxBatchBytes: number
  /** Content of one frame, uncompressed; the server is asked to leave larger ones out. */
  maxFrameBytes: number
  /** Wait for the upgrade. */
  handshakeTimeoutMs: number
  /** We ping this often; servers ping every 30 s themselves. */
  pingIntervalMs: number
  /** Neither a frame nor a pong for so long: the connection is dead. Silence alone is not. */
  idleTimeoutMs: number
  /** No event for so long where the whole network is listened to: the host is stuck. Longer each time, up to that. */
  silentAfterMs: number
  maxSilentAfterMs: number
  backoffBaseMs: number
  backoffMaxMs: number
  /** A connection that lived so long, or delivered an event, starts the backoff anew. */
  healthyAfterMs: number
  /** Failures in a row at one host before the next one is tried. */
  attemptsPerHost: number
  /** How often a better connection is tried for: the preferred host, or compression. */
  improveIntervalMs: number
  /** Least time between two reconnections for changed filters (v2). */
  filterSettleMs: number
  dictionaryTimeoutMs: number
  /** Taken off the time when resuming on another host or wire: clocks and order differ there. */
  switchOverlapMs: number
  /** The same where a host is resumed by time for want of a seq: legacy hosts reorder a little. */
  sameHostOverlapMs: number
  /** A v1 host clamps silently; a cursor older than this is taken to have been clamped. */
  v1WindowMs: number
}

export const defaultLimits: ConsumerLimits = {
  maxBatchEvents: 2000,
  maxBatchBytes: 16 * 1024 * 1024,
  maxFrameBytes: 4 * 1024 * 1024,
  handshakeTimeoutMs: 15 * SECOND_MS,
  pingIntervalMs: 30 * SECOND_MS,
  idleTimeoutMs: 100 * SECOND_MS,
  silentAfterMs: MINUTE_MS,
  maxSilentAfterMs: HOUR_MS,
  backoffBaseMs: 250,
  backoffMaxMs: 30 * SECOND_MS,
  healthyAfterMs: 10 * SECOND_MS,
  attemptsPerHost: 2,
  improveIntervalMs: 10 * MINUTE_MS,
  filterSettleMs: 2 * SECOND_MS,
  dictionaryTimeoutMs: 10 * SECOND_MS,
  switchOverlapMs: 10 * SECOND_MS,
  sameHostOverlapMs: 5 * SECOND_MS,
  v1WindowMs: 24 * HOUR_MS,
}
