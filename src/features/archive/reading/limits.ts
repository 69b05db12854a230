import { MINUTE_MS, SECOND_MS } from '../../../base/util/durations.ts'

export type ArchiveLimits = {
  /** Applied in one transaction. */
  maxBatchEvents: number
  /** Records larger than this are left out, as on the live wire. */
  maxRecordBytes: number
  /** A block, compressed and not; the server's have 4096 rows, a few megabytes. */
  maxFrameBytes: number
  maxBlockBytes: number
  /** Most bytes of blocks fetched together. */
  partBytes: number
  /** Parts fetched ahead of the one being applied. */
  partsAhead: number
  /** A page of the plan. */
  maxPlanBytes: number
  /** The index of a segment. */
  maxIndexBytes: number
  /** An answer without any data for this long is abandoned. */
  idleTimeoutMs: number
  backoffBaseMs: number
  backoffMaxMs: number
  /** After a refusal that only the operator can resolve. */
  refusedWaitMs: number
  /** Longest time that a quota may take to reset. */
  maxQuotaWaitMs: number
  /** Fetches of an unreadable block before it counts as lost. */
  attemptsPerBlock: number
  /** Stale plans in a row. */
  maxStalePlans: number
}

const MEBIBYTE = 1024 * 1024

export const defaultArchiveLimits: ArchiveLimits = {
  maxBatchEvents: 2000,
  maxRecordBytes: 4 * MEBIBYTE,
  maxFrameBytes: 32 * MEBIBYTE,
  maxBlockBytes: 64 * MEBIBYTE,
  partBytes: 2 * MEBIBYTE,
  partsAhead: 4,
  maxPlanBytes: 32 * MEBIBYTE,
  maxIndexBytes: 8 * MEBIBYTE,
  idleTimeoutMs: 30 * SECOND_MS,
  backoffBaseMs: SECOND_MS,
  backoffMaxMs: 2 * MINUTE_MS,
  refusedWaitMs: 5 * MINUTE_MS,
  maxQuotaWaitMs: 31 * 24 * 60 * MINUTE_MS,
  attemptsPerBlock: 3,
  maxStalePlans: 10,
}
