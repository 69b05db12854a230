// What a stream's consumer is given, and what it tells of itself.

import type { Logger } from 'pino'
import type { StreamCursor } from '../../base/event.ts'
import type { StreamBatch } from './batcher.ts'
import type { ConsumerLimits } from './limits.ts'
import type { Wire } from './resume.ts'
import type { StreamFilters } from './subscribe-url.ts'

export type ConsumerOptions = {
  /** ws:// or wss:// origins, in order of preference. */
  hosts: readonly string[]
  wire: Wire | 'auto'
  compress: boolean
  /** Path or URL of the v1 dictionary. */
  v1Dictionary: string
  cacheDir: string
  filters: StreamFilters
  /** Where a host finds the accounts too many for a URL, its v1 is asked, never all that it has. */
  alwaysFiltered?: boolean
  /** Collections whose commits may be handed over unread, for `apply` to judge; none by default. */
  unread?: readonly string[]
  /** What was saved, for any host; none: live from now. */
  cursors: readonly StreamCursor[]
  /**
   * Resolves after the commit. While it is pending, at most one further batch accumulates, then
   * the socket waits. A rejection is not handled here: it stops the process.
   */
  apply: (batch: StreamBatch) => Promise<void>
  log: Logger
  /** Milliseconds since 1970. */
  now?: () => number
  random?: () => number
  limits?: Partial<ConsumerLimits>
}

/** A moment's picture; counters run from the start of the process. */
export type StreamStatus = {
  host: string
  wire: Wire
  compressed: boolean
  connected: boolean
  /** The host was asked for what the filters say now. */
  filtersSent: boolean
  /** The socket waits because the store is slower than it. */
  paused: boolean
  lastEventTimeUs: number | undefined
  /** From the last event's time to now; undefined before the first. */
  lagMs: number | undefined
  received: number
  /** By reason. */
  dropped: Record<string, number>
  /** Connections opened after the first. */
  reconnects: number
  gaps: number
  lastError: string | undefined
  /** Whose error that was; after it another host may be tried. */
  lastErrorHost: string | undefined
}
