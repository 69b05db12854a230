// What a community costs in memory, processor time, disk and bandwidth, computed from the network's volumes
// and unit costs that other benchmarks measured. Pure arithmetic; docs/COST.md lists the assumptions.

import type { Neighbourhood } from './neighbourhood.ts'

/** Each is a figure of `npm run bench`, as stored in docs/figures.json. */
export const unitFigures = {
  /** A nearly empty instance. */
  baseMb: 'memory.empty.rss_mb',
  bytesPerEdge: 'graph.bytes_per_edge',
  bytesPerAccount: 'growth.accounts.bytes',
  timelineMbPerThousand: 'growth.members.1e3.timelines.mb',
  communityEventsPerS: 'ingest.community.events_per_s',
  communityKeptShare: 'ingest.community.kept_share',
  networkEventsPerS: 'ingest.network.events_per_s',
  /** A server that follows the stream at `liveEventsPerS`. */
  liveCpuPercent: 'cpu.at_600_per_s.percent',
  liveEvents: 'memory.simulated_events',
  liveKeptEvents: 'memory.kept_events',
  fanOutWriteNs: 'fanout.write.ns',
  timelineCpuMs: 'getTimeline.cpu_ms',
  timelineBytes: 'getTimeline.body',
  otherCpuMs: 'getKnownFollowers.cpu_ms',
  otherBytes: 'getKnownFollowers.body',
  diskPerPost: 'disk.bytes_per_post',
  diskPerLike: 'disk.bytes_per_like',
  diskPerFollow: 'disk.bytes_per_follow',
} as const

export type UnitCosts = { [Name in keyof typeof unitFigures]: number }

/** Mean rates per second of the public network, as seen on its Jetstream in September 2026. */
export const stream = {
  posts: 47,
  likes: 281,
  reposts: 54,
  /** Follows, blocks, profiles, deletions and account events: about an eighth of all events. */
  others: 55,
  compressedBytesPerEvent: 236,
}

/** Accounts that can be followed, and the follows between them. */
export type Network = { accounts: number; follows: number }

export const networks = {
  /** Active accounts, which the other benchmarks draw from. */
  active: { accounts: 5_500_000, follows: 160_000_000 },
  /**
   * All accounts, each with as many follows as an active one; no source says how many there are.
   */
  whole: { accounts: 40_000_000, follows: 1_160_000_000 },
} satisfies Record<string, Network>

/** What a member does in a day, and how unevenly activity is spread over the day. */
export const habits = {
  followsEach: 300,
  timelinesADay: 60,
  othersADay: 180,
  peakFactor: 4,
  /** Compressed size of answers, as a share of their size. */
  compressedShare: 0.15,
}

/** Mean over accounts with at least one follower, capped by the network's total. */
const LIST_MEAN = 150
/** Known accounts per follow edge held, until all accounts are known. */
const ACCOUNTS_PER_EDGE = 0.25
/** Bytes on disk of a kept repost: those of a like, plus its row in time order. */
const REPOST_LIKES = 3
const TIMELINE_THOUSAND = 1_000
const LIVE_EVENTS_PER_S = 600
const DAY_S = 86_400
const GB = 1e9

export type Cost = {
  members: number
  authors: number
  edges: number
  ramGb: { base: number; graph: number; accounts: number; timelines: number; total: number }
  /** Cores, on average over the day. */
  cores: { ingest: number; fanOut: number; serving: number; total: number; servingAtPeak: number }
  diskGbADay: number
  /** Follow lists, written once. */
  diskGbAtFirst: number
  inGbADay: number
  outGbADay: number
}

export function costOf(units: UnitCosts, community: Neighbourhood, network: Network): Cost {
  const { members, authors } = community
  const edges = Math.min(network.follows, authors * LIST_MEAN)
  const cores = coresOf(units, community)
  return {
    members,
    authors,
    edges,
    ramGb: memoryOf(units, { members, edges, network }),
    cores,
    diskGbADay: diskADay(units, community.storedShare),
    diskGbAtFirst: (edges * units.diskPerFollow) / GB,
    inGbADay: (eventsPerS() * DAY_S * stream.compressedBytesPerEvent) / GB,
    outGbADay: (answerBytes(units, members) * habits.compressedShare) / GB,
  }
}

export function eventsPerS(): number {
  return stream.posts + stream.likes + stream.reposts + stream.others
}

export function memoryOf(
  units: UnitCosts,
  { members, edges, network }: { members: number; edges: number; network: Network },
): Cost['ramGb'] {
  const accounts = Math.min(network.accounts, edges * ACCOUNTS_PER_EDGE)
  const parts = {
    base: units.baseMb / 1000,
    graph: (edges * units.bytesPerEdge) / GB,
    accounts: (accounts * units.bytesPerAccount) / GB,
    timelines: (members * units.timelineMbPerThousand) / TIMELINE_THOUSAND / 1000,
  }
  return { ...parts, total: sum(Object.values(parts)) }
}

/**
 * Seconds for checking a dropped event and for applying a kept one, derived from the two scopes.
 */
function ingestSeconds(units: UnitCosts, storedShare: number): number {
  const retaining = 1 / units.networkEventsPerS
  const share = units.communityKeptShare
  const dropping = Math.max(
    0,
    (1 / units.communityEventsPerS - share * retaining) / Math.max(0.01, 1 - share),
  )
  return storedShare * retaining + (1 - storedShare) * dropping
}

/**
 * How much more an event costs when it is read live than in bulk: each batch has its own
 * transaction and wakes threads.
 */
export function liveFactor(units: UnitCosts): number {
  const each = units.liveCpuPercent / 100 / LIVE_EVENTS_PER_S
  return each / ingestSeconds(units, units.liveKeptEvents / units.liveEvents)
}

function coresOf(units: UnitCosts, community: Neighbourhood): Cost['cores'] {
  const { members, storedShare, writesPerPost } = community
  const ingest = eventsPerS() * ingestSeconds(units, storedShare) * liveFactor(units)
  const items = stream.posts + stream.reposts
  const fanOut = (items * writesPerPost * units.fanOutWriteNs) / 1e9
  const perMember =
    habits.timelinesADay * units.timelineCpuMs + habits.othersADay * units.otherCpuMs
  const serving = (members * perMember) / 1000 / DAY_S
  const total = ingest + fanOut + serving
  return { ingest, fanOut, serving, total, servingAtPeak: serving * habits.peakFactor }
}

/** Assumes that kept records have the network's shares of posts, likes and reposts. */
function diskADay(units: UnitCosts, storedShare: number): number {
  const { posts, likes, reposts } = stream
  const perSecond =
    posts * units.diskPerPost +
    likes * units.diskPerLike +
    reposts * units.diskPerLike * REPOST_LIKES
  return (storedShare * perSecond * DAY_S) / GB
}

function answerBytes(units: UnitCosts, members: number): number {
  const perMember =
    habits.timelinesADay * units.timelineBytes + habits.othersADay * units.otherBytes
  return members * perMember
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, number) => all + number, 0)
}
