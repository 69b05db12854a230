// Every bound of the replays, with its default.

import { MINUTE_MS, SECOND_MS } from '../../base/util/durations.ts'

export type ReplayLimits = {
  /** How far back. */
  recentMs: number
  /** Sockets open at once. */
  maxSockets: number
  /** Accounts on one socket; servers take 10,000, beacons included. */
  accountsPerSocket: number
  /** Fewer accounts are read from their servers: a replay makes the host look through all hours. */
  minAccounts: number
  /** Accounts are waited for so long, so that those that come together share a socket. */
  gatherMs: number
  /** The same while the newest posts of those whom a newcomer follows are read. */
  latestGatherMs: number
  /** The same while follow lists are being read. */
  longestGatherMs: number
  /** Events applied in one go; live events are applied in between. */
  slice: number
  /** What clocks and order of two hosts may differ by. */
  overlapMs: number
  /** Silence that says the present is reached, where the main stream is silent too. */
  quietMs: number
  /** Silence after which a replay ends although it has not met the main stream. */
  silentMs: number
  /** No host to be had for so long: what is wanted is read from the accounts' servers. */
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
  longestGatherMs: 15 * SECOND_MS,
  slice: 256,
  overlapMs: 10 * SECOND_MS,
  quietMs: 3 * SECOND_MS,
  silentMs: 45 * SECOND_MS,
  giveUpMs: 2 * MINUTE_MS,
  longestMs: 30 * MINUTE_MS,
}
