// Types and limits that the files of this folder share.

import type { LookupFunction } from 'node:net'
import type { Logger } from '../../base/obs/log.ts'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../base/util/durations.ts'
import type { ActorReader } from '../../data/graph/types.ts'
import type { Db } from '../../data/store/db.ts'
import type { WriteRetry } from '../../data/store/write-retry.ts'
import type { GuardedFetch } from '../../sources/identity/guarded-fetch.ts'
import type { Resolver } from '../../sources/identity/resolver.ts'
import type { Writer } from '../indexing/writer.ts'

/**
 * `unreadable`: a label or a frame; `unknown`: the subject is not known here; `too-many`: too many
 * by this labeler, or by it on one subject.
 */
type LabelDrop = 'unreadable' | 'unsigned' | 'unknown' | 'not-asked' | 'too-many' | 'unforeseen'

export type LabelsContext = {
  db: Db
  actors: Pick<ActorReader, 'uidOf' | 'didOf'>
  writer: Pick<Writer, 'commit'>
  writeRetry: WriteRetry
  /** Whether the operator configured this labeler. */
  isConfigured: (did: string) => boolean
  resolver: Pick<Resolver, 'resolve'>
  fetch: GuardedFetch
  /** @throws FetchError if connections to this URL are forbidden. */
  lookupFor: (url: URL) => LookupFunction
  log: Pick<Logger, 'debug'> & Partial<Pick<Logger, 'warn'>>
  /** Called with the number of a stream's labels that changed anything. */
  onApplied?: (changed: number) => void
  /** Called for each dropped label or frame. */
  onDropped?: (reason: LabelDrop) => void
  now: () => number
  limits: LabelLimits
}

export type LabelLimits = {
  /** Concurrent streams, besides those of the configured labelers. */
  maxFollowed: number
  /**
   * Streams among these for the labelers that one member named; a labeler named by three members
   * counts against none.
   */
  maxFollowedEach: number
  /** Labelers remembered; the one named longest ago is forgotten. */
  maxRemembered: number
  /** A labeler not named for this long is forgotten too. */
  forgottenAfterMs: number
  /**
   * New labelers that may be looked up for one member, and for all members; the budgets refill over
   * a day.
   */
  maxLookedUpEach: number
  maxLookedUp: number
  /** A frame longer than this, or with more labels, ends the stream. */
  maxFrameBytes: number
  maxFrameLabels: number
  /** Unread frames kept in memory; beyond that the socket is paused. */
  maxWaitingBytes: number
  /**
   * Read rate of one stream, and of all streams that only members named; a label also counts as
   * bytes.
   */
  bytesPerSecond: number
  bytesPerSecondTogether: number
  /** Labels kept for one labeler that only members named, and for all of these together. */
  maxStored: number
  maxStoredTogether: number
  /**
   * Quarantine after a broken limit, and after the process ended with the stream open; each further
   * strike makes it four times longer.
   */
  quarantineMs: number
  crashQuarantineMs: number
  maxQuarantineMs: number
  /** A stream open for this long without a fault has its strikes cleared. */
  cleanAfterMs: number
  retryMs: number
  maxRetryMs: number
  /** Age from which a label counts as past, and how many past labels are read from a stream. */
  pastMs: number
  maxPast: number
  /** Subjects in one query, and waiting for each labeler. */
  maxSubjectsRequested: number
  maxSubjectsWaiting: number
  /** Concurrent queries, and how long subjects gather before one. */
  maxQueries: number
  gatherMs: number
  queryTimeoutMs: number
  /** How long a labeler rests after it failed to answer. */
  restMs: number
  /** How long an answer stays fresh: for a labeler with an open stream, and for others. */
  askStreamedAfterMs: number
  askOthersAfterMs: number
}

export const defaultLabelLimits: LabelLimits = {
  maxFollowed: 32,
  maxFollowedEach: 8,
  maxRemembered: 200,
  forgottenAfterMs: 14 * 24 * HOUR_MS,
  maxLookedUpEach: 25,
  maxLookedUp: 400,
  maxFrameBytes: 1 << 20,
  maxFrameLabels: 1_000,
  maxWaitingBytes: 256 << 10,
  bytesPerSecond: 512 << 10,
  bytesPerSecondTogether: 1 << 20,
  maxStored: 100_000,
  maxStoredTogether: 1_000_000,
  quarantineMs: 10 * MINUTE_MS,
  crashQuarantineMs: MINUTE_MS,
  maxQuarantineMs: 7 * 24 * HOUR_MS,
  cleanAfterMs: HOUR_MS,
  retryMs: 2 * SECOND_MS,
  maxRetryMs: 10 * MINUTE_MS,
  pastMs: 10 * MINUTE_MS,
  maxPast: 50_000,
  maxSubjectsRequested: 25,
  maxSubjectsWaiting: 2_000,
  maxQueries: 8,
  gatherMs: 100,
  queryTimeoutMs: 10 * SECOND_MS,
  restMs: MINUTE_MS,
  askStreamedAfterMs: 24 * HOUR_MS,
  askOthersAfterMs: 10 * MINUTE_MS,
}
