// What the files of this room share, and every bound of it.

import type { LookupFunction } from 'node:net'
import type { ActorReader } from '../graph/types.ts'
import type { GuardedFetch } from '../identity/guarded-fetch.ts'
import type { Resolver } from '../identity/resolver.ts'
import type { Indexer } from '../indexing/indexer.ts'
import type { MemoryChange } from '../indexing/memory-changes.ts'
import type { Logger } from '../obs/log.ts'
import type { Db } from '../store/db.ts'
import type { Patience } from '../store/patience.ts'

/** `unreadable` also of frames; `unknown`: about nothing that is known here, and so of no concern. */
export type LabelDrop = 'unreadable' | 'unsigned' | 'unknown' | 'not-asked'

export type LabelsParts = {
  db: Db
  actors: Pick<ActorReader, 'uidOf' | 'didOf'>
  indexer: Pick<Indexer, 'run'>
  publish: (changes: MemoryChange[]) => void
  patience: Patience
  resolver: Pick<Resolver, 'resolve'>
  fetch: GuardedFetch
  /** @throws FetchError where nobody should connect there. */
  lookupFor: (url: URL) => LookupFunction
  log: Pick<Logger, 'debug'>
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
  /** Labelers remembered; the one that was named longest ago is forgotten. */
  maxRemembered: number
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

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

export const defaultLabelLimits: LabelLimits = {
  maxFollowed: 32,
  maxRemembered: 200,
  retryMs: 2 * SECOND,
  maxRetryMs: 10 * MINUTE,
  pastMs: 10 * MINUTE,
  maxPast: 50_000,
  maxSubjectsAsked: 25,
  maxSubjectsWaiting: 2_000,
  maxQueries: 8,
  gatherMs: 100,
  queryTimeoutMs: 10 * SECOND,
  restMs: MINUTE,
  askStreamedAfterMs: 24 * HOUR,
  askOthersAfterMs: 10 * MINUTE,
}
