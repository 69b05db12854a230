// A sharded timeline store under fan-out: shard load, queueing of writes, and the resulting times for a page
// of 10,000 followers and for a post's job. A shard is one queue; timelines are placed on shards at random. A
// page is as slow as its slowest shard and a job's pages run one after the other, so a few timelines too busy
// to read slow down all others. A write takes a while. Sometimes a timeline is cut, which reads past its
// recent deletions: expensive for timelines with very many writes.

import { keepShare } from '../../src/data/graph/lossiness.ts'
import { createRandom, type Random } from '../../test/support/random.ts'
import { quantile } from '../runner/quantile.ts'

export type Store = {
  timelines: number
  shards: number
  /** Accounts with 100,000 to 600,000 follows. */
  hotAccounts: number
  /**
   * Milliseconds of a write; a cut takes a minimum plus an amount per write per second that the
   * timeline gets.
   */
  writeMs: number
  cutMs: number
  cutMsPerRate: number
  /** A timeline is cut once per this many writes. */
  cutEvery: number
  /** Writes simulated on each shard. */
  writesPerShard: number
}

export type Measured = {
  /** Utilisation of the busiest and of the median shard; above 1 it falls behind. */
  busiest: number
  median: number
  writeP99Ms: number
  pageP99Ms: number
  jobP99S: number
  jobP50S: number
  /** Share of all writes. */
  writesSaved: number
}

/** Most accounts follow a few dozen, few follow thousands: log-normal. */
const MEDIAN_FOLLOWS = 60
const SIGMA = 1.5
const HOT_FROM = 100_000
const HOT_TO = 600_000
/** Posts and reposts of a followed account. */
export const POSTS_A_DAY = 4
const POSTS_PER_SECOND = POSTS_A_DAY / 86_400
/** Ratio of the peak hours' rate to the average. */
const PEAK = 2.5
/** When a client gives up. */
const TIMEOUT_MS = 10_000
const PAGE = 10_000
const PAGES_LOOKED_AT = 2_000
const JOBS_LOOKED_AT = 400
/** Follower counts of the authors whose jobs are simulated. */
const JOB_PAGES = [20, 50, 100, 200, 300]

type Shard = {
  /** Running sums of the follows of its timelines, for drawing one weighted by its writes. */
  sums: Float64Array
  follows: Float64Array
  rate: number
  load: number
}

/** A seed yields the same follows for every limit; 0 means no limit. */
export function measureStore(store: Store, seed: number, limit: number): Measured {
  const random = createRandom(seed)
  const shards = spreadTimelines(store, random, limit)
  const waits = shards.map((shard) => simulate(shard, store, createRandom(seed + 1), limit))
  const pages = measurePages(waits, store, random)
  const jobs = measureJobs(pages, random)
  const loads = shards.map(({ load }) => load).sort((a, b) => a - b)
  const sum = (limitOf: number) => totalWrites(shards, limitOf)
  return {
    busiest: loads.at(-1)!,
    median: quantile(loads, 0.5),
    writeP99Ms: quantile(sorted(waits.flatMap((wait) => [...wait])), 0.99),
    pageP99Ms: quantile(sorted(pages), 0.99),
    jobP99S: quantile(jobs, 0.99) / 1000,
    jobP50S: quantile(jobs, 0.5) / 1000,
    writesSaved: 1 - sum(limit) / sum(0),
  }
}

/** Writes per second to the timeline of an account with this many follows. */
function writesOf(follows: number, limit: number): number {
  return follows * keepShare(limit, follows) * POSTS_PER_SECOND * PEAK
}

function spreadTimelines(store: Store, random: Random, limit: number): Shard[] {
  const { timelines, shards, hotAccounts } = store
  const lists: number[][] = Array.from({ length: shards }, () => [])
  for (let i = 0; i < timelines; i++) lists[random.below(shards)]!.push(drawFollows(random))
  for (let i = 0; i < hotAccounts; i++) {
    // Uniform in the logarithm: more of the smaller ones.
    const follows = HOT_FROM * (HOT_TO / HOT_FROM) ** random.next()
    lists[random.below(shards)]!.push(follows)
  }
  return lists.map((list) => shardOf(Float64Array.from(list), store, limit))
}

function drawFollows(random: Random): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next())
  return Math.min(HOT_FROM, Math.max(1, MEDIAN_FOLLOWS * Math.exp(SIGMA * normal)))
}

function shardOf(follows: Float64Array, store: Store, limit: number): Shard {
  const sums = new Float64Array(follows.length)
  let rate = 0
  let load = 0
  for (const [i, count] of follows.entries()) {
    const writes = writesOf(count, limit)
    rate += writes
    sums[i] = rate
    load += (writes * (store.writeMs + cutMs(store, writes) / store.cutEvery)) / 1000
  }
  return { sums, follows, rate, load }
}

function cutMs(store: Store, writesPerSecond: number): number {
  return store.cutMs + store.cutMsPerRate * writesPerSecond
}

/** Milliseconds until each write is done: queueing and the write itself. */
function simulate(shard: Shard, store: Store, random: Random, limit: number): Float64Array {
  const { writesPerShard, writeMs, cutEvery } = store
  const times = new Float64Array(writesPerShard)
  const gapMs = 1000 / shard.rate
  let backlog = 0
  for (let i = -writesPerShard / 4; i < writesPerShard; i++) {
    backlog = Math.max(0, backlog + gapMs * Math.log(1 - random.next()))
    const writes = writesOf(drawTimeline(shard, random), limit)
    const isCut = random.chance(1 / cutEvery)
    const service = -Math.log(1 - random.next()) * writeMs + (isCut ? cutMs(store, writes) : 0)
    backlog = Math.min(backlog + service, TIMEOUT_MS)
    if (i >= 0) times[i | 0] = backlog
  }
  return times
}

/** Draws a timeline weighted by its writes. */
function drawTimeline({ sums, follows, rate }: Shard, random: Random): number {
  const draw = random.next() * rate
  let low = 0
  let high = sums.length - 1
  while (low < high) {
    const middle = (low + high) >>> 1
    if (sums[middle]! > draw) high = middle
    else low = middle + 1
  }
  return follows[low]!
}

/** A page is as slow as its slowest shard: the queue there plus the page's own writes. */
function measurePages(
  waits: readonly Float64Array[],
  { writeMs }: Store,
  random: Random,
): number[] {
  const own = (PAGE / waits.length) * writeMs
  return Array.from({ length: PAGES_LOOKED_AT }, () => {
    let slowest = 0
    for (const wait of waits) slowest = Math.max(slowest, wait[random.below(wait.length)]!)
    return slowest + own
  })
}

function measureJobs(pages: readonly number[], random: Random): number[] {
  const jobs = Array.from({ length: JOBS_LOOKED_AT }, () => {
    let time = 0
    for (let left = random.pick(JOB_PAGES); left > 0; left--) time += random.pick(pages)
    return time
  })
  return sorted(jobs)
}

function totalWrites(shards: readonly Shard[], limit: number): number {
  let sum = 0
  for (const { follows } of shards) for (const count of follows) sum += writesOf(count, limit)
  return sum
}

function sorted(values: readonly number[]): number[] {
  return Array.from(Float64Array.from(values).sort())
}
