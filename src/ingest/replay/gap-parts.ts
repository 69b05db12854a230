// What the repair of gaps works with, and its limits.

import type { StreamFilters } from '../../sources/jetstream/consumer.ts'
import type { ReplayLimits } from './limits.ts'
import type { ReplayParts } from './run.ts'
import type { StreamHead } from './stream-head.ts'

export type GapRepairParts = Omit<ReplayParts, 'limits'> & {
  /** What the main stream is asked for now. */
  filters: () => StreamFilters
  /** Collections whose commits may stay unread until they are looked at. */
  unread: readonly string[]
  /** Where the main stream is. */
  head: () => StreamHead | undefined | 'wait'
  /** Somebody waits for their first timeline. */
  isBusy: () => boolean
  limits: GapLimits
}

export type GapLimits = Pick<ReplayLimits, 'slice' | 'overlapMs' | 'silentMs' | 'giveUpMs'> & {
  /** One replay; it goes on where it was in the next one. */
  longestMs: number
  /** Between two attempts when no host is to be had. */
  retryMs: number
  /** A gap that ended so long ago is in no host's window. */
  windowMs: number
  lookEveryMs: number
}
