// Dependencies and limits of the gap repair.

import type { StreamFilters } from '@slipstream/jetstream'
import type { ReplayLimits } from './limits.ts'
import type { ReplayContext } from './run.ts'
import type { StreamHead } from './stream-head.ts'

export type GapRepairContext = Omit<ReplayContext, 'limits'> & {
  /** The main stream's current filters. */
  filters: () => StreamFilters
  /** Collections whose commits may stay unparsed until they are needed. */
  unread: readonly string[]
  /** The main stream's position. */
  head: () => StreamHead | undefined | 'wait'
  /** Whether a member waits for their first timeline. */
  isBusy: () => boolean
  limits: GapLimits
}

export type GapLimits = Pick<ReplayLimits, 'slice' | 'overlapMs' | 'silentMs' | 'giveUpMs'> & {
  /** Limit of one replay; the next one resumes where it stopped. */
  longestMs: number
  /** Between two attempts when no host is available. */
  retryMs: number
  /** A gap that ended this long ago is outside every host's window. */
  windowMs: number
  lookEveryMs: number
}
