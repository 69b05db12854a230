// What the files of this room share, and every bound of it.

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
 * `unreadable` also of frames; `unknown`: about nothing that is known here, and so of no concern; `too-many`:
 * of this labeler, or by it about one thing.
 */
type LabelDrop = 'unreadable' | 'unsigned' | 'unknown' | 'not-asked' | 'too-many' | 'unforeseen'

export type LabelsParts = {
  db: Db
  actors: Pick<ActorReader, 'uidOf' | 'didOf'>
  writer: Pick<Writer, 'commit'>
  writeRetry: WriteRetry
  /** Whether the operator named it. */
  isConfigured: (did: string) => boolean
  resolver: Pick<Resolver, 'resolve'>
  fetch: GuardedFetch
  /** @throws FetchError where nobody should connect there. */
  lookupFor: (url: URL) => LookupFunction
  log: Pick<Logger, 'debug'> & Partial<Pick<Logger, 'warn'>>
  /** Told how many labels of a stream changed anything. */
  onApplied?: (changed: number) => void
  /** Told of each label or frame that was left out. */
  onDropped?: (reason: LabelDrop) => void
  now: () => number
  limits: LabelLimits
}

export type LabelLimits = {
  /** Streams at once, besides those of the configured labelers. */
  maxFollowed: number
  /** Of those, streams for what one member named; a labeler that three of them name counts against nobody. */
  maxFollowedEach: number
  /** Labelers remembered; the one that was named longest ago is forgotten. */
  maxRemembered: number
  /** And any that nobody named for so long. */
  forgottenAfterMs: number
  /** Labelers unknown so far that one member, and all of them, may have looked up; so many more come in a day. */
  maxLookedUpEach: number
  maxLookedUp: number
  /** A longer frame, or one with more labels in it, ends the stream. */
  maxFrameBytes: number
  maxFrameLabels: number
  /** Frames that are not read yet; then the socket waits. */
  maxWaitingBytes: number
  /** What is read in a second of one stream, and of all that only members named; a label counts as bytes too. */
  bytesPerSecond: number
  bytesPerSecondTogether: number
  /** Of a labeler that only members named, and of all these together. */
  maxKept: number
  maxKeptTogether: number
  /** After a limit was broken, and after the process ended with the stream open; four times that the next time. */
  quarantineMs: number
  crashQuarantineMs: number
  maxQuarantineMs: number
  /** A stream that was open for so long without a fault has none on its record. */
  cleanAfterMs: number
  retryMs: number
  maxRetryMs: number
  /** A label older than this is of the past; of the past so many are taken from a stream. */
  pastMs: number
  maxPast: number
  /** Subjects in one query, and waiting for each labeler. */
  maxSubjectsAsked: number
  maxSubjectsWaiting: number
  /** Queries at once, and how long subjects gather before one. */
  maxQueries: number
  gatherMs: number
  queryTimeoutMs: number
  /** A labeler that failed to answer is left alone for so long. */
  restMs: number
  /** How long an answer counts, where a stream tells of changes and where none does. */
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
  maxKept: 100_000,
  maxKeptTogether: 1_000_000,
  quarantineMs: 10 * MINUTE_MS,
  crashQuarantineMs: MINUTE_MS,
  maxQuarantineMs: 7 * 24 * HOUR_MS,
  cleanAfterMs: HOUR_MS,
  retryMs: 2 * SECOND_MS,
  maxRetryMs: 10 * MINUTE_MS,
  pastMs: 10 * MINUTE_MS,
  maxPast: 50_000,
  maxSubjectsAsked: 25,
  maxSubjectsWaiting: 2_000,
  maxQueries: 8,
  gatherMs: 100,
  queryTimeoutMs: 10 * SECOND_MS,
  restMs: MINUTE_MS,
  askStreamedAfterMs: 24 * HOUR_MS,
  askOthersAfterMs: 10 * MINUTE_MS,
}
