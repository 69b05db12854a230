// Lanes of a fair queue (fair-queue.ts): one per caller of a rank, with its waiting calls, light and heavy,
// the calls that wait to go on, and the number of running ones. Lanes that may run are in `ready`, in rotation
// order, or in `late` if their callers have recently held the thread for long: those get their turn when
// no other lane of the rank is ready. An empty lane is dropped.

import { XRPCError } from '../../base/atproto/xrpc-error.ts'
import { RecentUse } from './recent-use.ts'

export type Waiting = {
  start(): void
  refuse(error: Error): void
  isGone: () => boolean
  sinceMs: number
}

export type Lane = {
  key: string
  rank: RankState
  running: number
  /** Parts of calls that began and waited for others meanwhile; never refused. */
  later: Waiting[]
  light: Waiting[]
  heavy: Waiting[]
}

export type RankState = {
  limits: Limits
  lanes: Map<string, Lane>
  /** Lanes with a runnable call, in the order of their turns. */
  ready: Set<Lane>
  late: Set<Lane>
  use: RecentUse
  /** Includes `later`. */
  waiting: number
  /** Waiting parts of calls that run already. */
  later: number
  running: number
}

export type Limits = {
  /** Most running asynchronous handlers, per caller and in the rank. */
  runningEach: number
  running: number
  /** Most waiting calls, per caller and in the rank. */
  waitingEach: number
  waiting: number
  /** Expected wait in milliseconds beyond which a call is refused. */
  maxWaitMs: number
  heavyMaxWaitMs: number
}

/** At this many times the longest wait, clients have given up on the answer. */
const STALE_FACTOR = 4

export function createRank(limits: Limits): RankState {
  return {
    limits,
    lanes: new Map(),
    ready: new Set(),
    late: new Set(),
    use: new RecentUse(),
    waiting: 0,
    later: 0,
    running: 0,
  }
}

export function laneOf(rank: RankState, key: string): Lane {
  const known = rank.lanes.get(key)
  if (known) return known
  const lane: Lane = { key, rank, running: 0, later: [], light: [], heavy: [] }
  rank.lanes.set(key, lane)
  return lane
}

/** Calls that have yet to begin. */
export function waitingIn({ light, heavy }: Lane): number {
  return light.length + heavy.length
}

/** Whether the caller is at its limit, or has earlier calls waiting. */
export function isBusy(lane: Lane): boolean {
  return waitingIn(lane) > 0 || lane.running >= lane.rank.limits.runningEach
}

export function isRunnable({ ready, late, later, running, limits }: RankState): boolean {
  return later > 0 || (ready.size + late.size > 0 && running < limits.running)
}

/** Moves a lane to its place: into rotation, out of it, or drops it. */
export function settle(lane: Lane, nowMs: number): void {
  const { rank, running, later } = lane
  const isWaiting = waitingIn(lane) > 0
  rank.late.delete(lane)
  if (later.length > 0 || (isWaiting && running < rank.limits.runningEach)) {
    if (rank.use.isHigh(lane.key, nowMs)) leave(rank.ready, rank.late, lane)
    else rank.ready.add(lane)
  } else rank.ready.delete(lane)
  if (!isWaiting && running === 0 && later.length === 0) rank.lanes.delete(lane.key)
}

function leave(from: Set<Lane>, to: Set<Lane>, lane: Lane): void {
  from.delete(lane)
  to.add(lane)
}

/** Where no further call may begin, only calls that have begun go on. */
function nextLane({ ready, late, running, limits }: RankState): Lane {
  if (running >= limits.running) {
    return [...ready, ...late].find(({ later }) => later.length > 0)!
  }
  const [lane] = ready.size > 0 ? ready : late
  return lane!
}

/** Takes the next call that a client still waits for; its lane goes to the end of the rotation. */
export function takeNext(rank: RankState, nowMs: number): Waiting | undefined {
  while (isRunnable(rank)) {
    const lane = nextLane(rank)
    const later = lane.later.shift()
    const item = later ?? (lane.light.shift() ?? lane.heavy.shift())!
    rank.waiting -= 1
    rank.ready.delete(lane)
    if (later) rank.later -= 1
    settle(lane, nowMs)
    if (later) return later
    const isStale = nowMs - item.sinceMs > STALE_FACTOR * rank.limits.maxWaitMs
    if (!isStale && !item.isGone()) return item
    item.refuse(overloaded(rank.limits.maxWaitMs))
  }
  return undefined
}

/** Returns the error for a call that would wait `waitMs` in this lane, if it is refused. */
export function refusalIn(lane: Lane, waitMs: number, isHeavy: boolean): XRPCError | undefined {
  const { limits, waiting } = lane.rank
  if (waitingIn(lane) >= limits.waitingEach) return tooManyAtOnce()
  const isTooLong = waitMs > (isHeavy ? limits.heavyMaxWaitMs : limits.maxWaitMs)
  return isTooLong || waiting >= limits.waiting ? overloaded(waitMs) : undefined
}

function overloaded(waitMs: number): XRPCError {
  return busy(503, 'ServiceUnavailable', 'There is too much to do just now', waitMs)
}

function tooManyAtOnce(): XRPCError {
  return busy(429, 'RateLimitExceeded', 'Too many requests at once', 1_000)
}

function busy(status: number, error: string, message: string, waitMs: number): XRPCError {
  const headers = { 'retry-after': String(Math.max(Math.ceil(waitMs / 1000), 1)) }
  return new XRPCError(status, error, message, { headers })
}
