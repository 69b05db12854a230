import { MINUTE_MS, SECOND_MS } from '../../base/util/durations.ts'

export type ReplayLimits = {
  /** How far back a replay starts. */
  recentMs: number
  /** Concurrent sockets. */
  maxSockets: number
  /** Accounts on one socket; servers take 10,000, beacons included. */
  accountsPerSocket: number
  /** Fewer accounts are read from their servers: a replay makes the host scan all hours. */
  minAccounts: number
  /** How long accounts gather, so that those added together share a socket. */
  gatherMs: number
  /** The same while the newest posts of a newcomer's follows are read. */
  latestGatherMs: number
  /** After those: the head start of the names and posts that such a first page shows. */
  firstPageMs: number
  /** The same while follow lists are being read. */
  longestGatherMs: number
  /** Events applied at once; live events are applied in between. */
  slice: number
  /** How far two hosts may differ in clock and order. */
  overlapMs: number
  /** Silence after which the present counts as reached, if the main stream is silent too. */
  quietMs: number
  /** Silence after which a replay ends although it has not reached the main stream. */
  silentMs: number
  /** With no host available for this long, the accounts are read from their servers. */
  giveUpMs: number
  longestMs: number
}

export const defaultReplayLimits: ReplayLimits = {
  recentMs: 36 * 60 * MINUTE_MS,
  maxSockets: 3,
  accountsPerSocket: 9_990,
  minAccounts: 20,
  gatherMs: 750,
  latestGatherMs: 6 * SECOND_MS,
  firstPageMs: 1_500,
  longestGatherMs: 15 * SECOND_MS,
  slice: 256,
  overlapMs: 10 * SECOND_MS,
  quietMs: 3 * SECOND_MS,
  silentMs: 45 * SECOND_MS,
  giveUpMs: 2 * MINUTE_MS,
  longestMs: 30 * MINUTE_MS,
}
