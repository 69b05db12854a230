// Options and status of a stream consumer.

import type { StreamBatch } from './batcher.ts'
import type { StreamFilters } from './connection/subscribe-url.ts'
import type { StreamCursor } from './event.ts'
import type { ConsumerLimits } from './limits.ts'
import type { Logger } from './logger.ts'
import type { Meter } from './meter.ts'
import type { Wire } from './resume.ts'

export type ConsumerOptions = {
  /** ws:// or wss:// origins, in order of preference. */
  hosts: readonly string[]
  wire: Wire | 'auto'
  compress: boolean
  /** Path or URL of the v1 dictionary. */
  v1Dictionary: string
  cacheDir: string
  filters: StreamFilters
  /** If a host rejects too many accounts in a URL, uses its v1, never its unfiltered stream. */
  alwaysFiltered?: boolean
  /** Collections whose commits `apply` may get unparsed, to judge itself; none by default. */
  unread?: readonly string[]
  /** The saved cursors, for any host; none: live from now. */
  cursors: readonly StreamCursor[]
  /**
   * Resolves after the commit. While it is pending, at most one further batch accumulates, then
   * the socket waits. A rejection is not handled here: it stops the process.
   */
  apply: (batch: StreamBatch) => Promise<void>
  /** Asked while a batch is collected: limits it further than `maxBatchEvents`, if defined. */
  mostEvents?: () => number | undefined
  /** Counts the bytes of its connections. */
  meter?: (host: string, wire: Wire) => Meter
  log: Logger
  /** Milliseconds since 1970. */
  now?: () => number
  random?: () => number
  limits?: Partial<ConsumerLimits>
}

/** A snapshot; counters start with the process. */
export type StreamStatus = {
  host: string
  wire: StreamCursor['wire']
  compressed: boolean
  connected: boolean
  /** The host has received the current filters. */
  filtersSent: boolean
  /** The socket waits because the store is slower. */
  paused: boolean
  lastEventTimeUs: number | undefined
  /** From the last event's time to now; undefined before the first. */
  lagMs: number | undefined
  received: number
  /** Counts by reason. */
  dropped: Record<string, number>
  /** Connections opened after the first. */
  reconnects: number
  gaps: number
  lastError: string | undefined
  /** The host of that error; another host may be tried after it. */
  lastErrorHost: string | undefined
}
