// Every bound of the background work, with its default.

import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../base/util/durations.ts'
import type { HostLimits } from '../../sources/pds/hosts.ts'

export type BackfillLimits = HostLimits & {
  /** Requests open at once, over all hosts. */
  maxRequests: number
  /** Jobs at work at once; more than requests, since some wait for a host. */
  maxJobs: number
  /** Jobs kept in memory, waiting for their turn. */
  windowJobs: number
  /** Of those, for one host: the others stay in the database, so that one host can't fill the window. */
  windowPerHost: number
  /** Records applied in one go; live events are applied in between. */
  slice: number
  /** A running job waits so long for a host that asked us to wait. */
  longestWaitMs: number
  requestTimeoutMs: number
  /** How deep an author's feed is read. */
  feedPosts: number
  feedReposts: number
  /** For a newcomer's first page: of each collection so many, and more where they are all as new as that. */
  latest: number
  latestMs: number
  /** Of a stranger whose page a member opens, of posts and of reposts. */
  pagePosts: number
  /** Beyond the first page, records older than this are not asked for. */
  feedMaxAgeMs: number
  /** How far back everything of an author is wanted: what is newer is read whole, to a bound. */
  recentMs: number
  maxRecent: number
  /** Older posts are read until a new member's timeline holds so many items. */
  timelineTarget: number
  /** So many further pages of one author at most, and so many authors' in one round. */
  olderPages: number
  olderAuthors: number
  maxFollows: number
  /** Of an author who is no member. */
  maxAuthorFollows: number
  maxListItems: number
  /** Of any other collection. */
  maxRecords: number
  /** Held records below a listing's end that are asked for one by one, of each collection. */
  maxKeysChecked: number
  /** An identity older than this is looked up anew. */
  identityMaxAgeMs: number
}

export const DEFAULT_LIMITS: BackfillLimits = {
  perHost: 4,
  identities: 32,
  failuresToOpen: 3,
  firstBackoffMs: 10_000,
  longestBackoffMs: HOUR_MS,
  maxRequests: 32,
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
  maxKeysChecked: 500,
  identityMaxAgeMs: DAY_MS,
}
