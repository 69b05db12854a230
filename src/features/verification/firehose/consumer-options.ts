// Options and status of a firehose consumer (consumer.ts).

import type { ConsumerLimits, Meter, StreamBatch, StreamCursor } from '@slipstream/jetstream'
import type { Logger } from 'pino'
import type { Arrivals } from './arrivals.ts'
import type { Judge } from './judge.ts'

export type FirehoseOptions = {
  /** ws:// or wss:// origins, in order of preference. */
  hosts: readonly string[]
  judge: Judge
  /** Collections whose records are handed over. */
  collections: ReadonlySet<string>
  cursors: readonly StreamCursor[]
  /**
   * Microseconds: this is the only stream, and everything up to here was received. Where a host has
   * to begin with the present, what is between is a gap.
   */
  receivedUntilUs?: number | undefined
  apply: (batch: StreamBatch) => Promise<void>
  /** Whether the host is the server of this account, which is to be compared with it (tail.ts). */
  isAtHome?: (did: string, host: string) => boolean
  /** What fails is counted by host. */
  onFailure: (host: string, reason: string) => void
  meter?: (host: string) => FirehoseMeter
  /** Shared with the consumers of other hosts: what one of them has brought is not read again. */
  arrivals?: Arrivals
  log: Logger
  now?: () => number
  random?: () => number
  limits?: Partial<ConsumerLimits>
}

type FirehoseMeter = Meter & {
  /** How far behind the network the last event was, in milliseconds. */
  lag?(ms: number): void
}

export type FirehoseStatus = {
  host: string
  connected: boolean
  /** The socket waits for what has been received. */
  paused: boolean
  /** Frames. */
  received: number
  /** Microseconds; undefined before the first. */
  lastEventTimeUs: number | undefined
  /** From the last event's time to its arrival; undefined before the first. */
  lagMs: number | undefined
  /** Connections opened after the first. */
  reconnects: number
  gaps: number
  lastError: string | undefined
}
