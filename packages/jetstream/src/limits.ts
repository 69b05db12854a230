// All limits of the consumer, with their defaults.

import { HOUR_MS, MINUTE_MS, SECOND_MS } from './durations.ts'

export type ConsumerLimits = {
  /** Events handed over at once under load; more means fewer pages written twice. */
  maxBatchEvents: number
  /** The same in bytes of content; two batches may be in memory. */
  maxBatchBytes: number
  /** Content of one frame, uncompressed; the server is asked to leave out larger ones. */
  maxFrameBytes: number
  /** Timeout of the upgrade. */
  handshakeTimeoutMs: number
  /** How often we ping; servers ping every 30 s themselves. */
  pingIntervalMs: number
  /** Without a frame or pong for this long, the connection is dead. Silence alone is not. */
  idleTimeoutMs: number
  /**
   * Without events for this long on the unfiltered stream, the host is stuck. Grows each time, up
   * to the maximum.
   */
  silentAfterMs: number
  maxSilentAfterMs: number
  backoffBaseMs: number
  backoffMaxMs: number
  /** A connection that lived this long, or delivered an event, resets the backoff. */
  healthyAfterMs: number
  /** Failures in a row at one host before the next one is tried. */
  attemptsPerHost: number
  /** How often a better connection is tried: the preferred host, or compression. */
  improveIntervalMs: number
  /** Least time between two reconnections for changed filters (v2). */
  filterSettleMs: number
  dictionaryTimeoutMs: number
  /** Subtracted from the time on another host or wire: clocks and order differ there. */
  switchOverlapMs: number
  /** The same on the same host if it sends no seq: legacy hosts reorder a little. */
  sameHostOverlapMs: number
  /** v1 hosts clamp silently; an older cursor is assumed to have been clamped. */
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
