// Every bound of the background work, with its default.

import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../base/util/durations.ts'
import type { HostLimits } from '../../sources/pds/hosts.ts'

export type BackfillLimits = HostLimits & {
  /** Requests open at once, over all hosts. */
  maxRequests: number
  /** Jobs running at once; more than requests, since some wait for a host. */
  maxJobs: number
  /** Jobs kept in memory, waiting to run. */
  windowJobs: number
  /** Those per host: the others stay in the database, so that one host can't fill the window. */
  windowPerHost: number
  /** Records applied in one go; live events are applied in between. */
  slice: number
  /** How long a running job waits for a host that asked us to wait. */
  longestWaitMs: number
  requestTimeoutMs: number
  /** Posts read of an author's feed. */
  feedPosts: number
  feedReposts: number
  /**
   * For a newcomer's first page: records per collection, and more if all of them are newer than
   * `latestMs`.
   */
  latest: number
  latestMs: number
  /** Posts, and as many reposts, of a stranger whose page a member opens. */
  pagePosts: number
  /** Beyond the first page, records older than this are not requested. */
  feedMaxAgeMs: number
  /** How far back an author's records are read in full, up to `maxRecent`. */
  recentMs: number
  maxRecent: number
  /** Older posts are read until a new member's timeline holds this many items. */
  timelineTarget: number
  /** Most further pages of one author, and most authors in one round. */
  olderPages: number
  olderAuthors: number
  maxFollows: number
  /** Follows of an author who is no member. */
  maxAuthorFollows: number
  maxListItems: number
  /** Records of any other collection. */
  maxRecords: number
  /** Blocks of a stranger that are looked at, the newest first where the server lists them so. */
  maxStrangersBlocks: number
  /** Held records below a listing's end that are requested one by one, per collection. */
  maxKeysChecked: number
  /** An identity older than this is looked up again. */
  identityMaxAgeMs: number
}

export const DEFAULT_LIMITS: BackfillLimits = {
  perHost: 4,
  identities: 32,
  failuresToOpen: 3,
  firstBackoffMs: 10_000,
  longestBackoffMs: HOUR_MS,
  maxRequests: 64,
  maxJobs: 112,
  windowJobs: 4_096,
  windowPerHost: 1_024,
  slice: 100,
  longestWaitMs: 10 * MINUTE_MS,
  requestTimeoutMs: 20_000,
  feedPosts: 100,
  feedReposts: 50,
  latest: 10,
  latestMs: 2 * HOUR_MS,
  pagePosts: 50,
  feedMaxAgeMs: 90 * DAY_MS,
  recentMs: 36 * HOUR_MS,
  maxRecent: 3_000,
  timelineTarget: 500,
  olderPages: 20,
  olderAuthors: 200,
  maxFollows: 100_000,
  maxAuthorFollows: 50_000,
  maxListItems: 20_000,
  maxRecords: 50_000,
  maxStrangersBlocks: 5_000,
  maxKeysChecked: 500,
  identityMaxAgeMs: DAY_MS,
}
