// Lanes of a fair queue (fair-queue.ts): one per caller of a rank, with its waiting calls, light and heavy,
// and the number of running ones. Lanes that may run are in `ready`, in rotation order; an empty lane is
// dropped.

import { XRPCError } from '../../base/atproto/xrpc-error.ts'

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
  light: Waiting[]
  heavy: Waiting[]
}

export type RankState = {
  limits: Limits
  lanes: Map<string, Lane>
  /** Lanes with a runnable call, in the order of their turns. */
  ready: Set<Lane>
  waiting: number
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
  return { limits, lanes: new Map(), ready: new Set(), waiting: 0, running: 0 }
}

export function laneOf(rank: RankState, key: string): Lane {
  const known = rank.lanes.get(key)
  if (known) return known
  const lane: Lane = { key, rank, running: 0, light: [], heavy: [] }
  rank.lanes.set(key, lane)
  return lane
}

export function waitingIn({ light, heavy }: Lane): number {
  return light.length + heavy.length
}

/** Whether the caller is at its limit, or has earlier calls waiting. */
export function isBusy(lane: Lane): boolean {
  return waitingIn(lane) > 0 || lane.running >= lane.rank.limits.runningEach
}

export function isRunnable({ ready, running, limits }: RankState): boolean {
  return ready.size > 0 && running < limits.running
}

/** Moves a lane to its place: into rotation, out of it, or drops it. */
export function settle(lane: Lane): void {
  const { rank, running } = lane
  const isWaiting = waitingIn(lane) > 0
  if (isWaiting && running < rank.limits.runningEach) rank.ready.add(lane)
  else rank.ready.delete(lane)
  if (!isWaiting && running === 0) rank.lanes.delete(lane.key)
}

/** Takes the next call that a client still waits for; its lane goes to the end of the rotation. */
export function takeNext(rank: RankState, nowMs: number): Waiting | undefined {
  while (isRunnable(rank)) {
    const [lane] = rank.ready as Set<Lane>
    const one = (lane!.light.shift() ?? lane!.heavy.shift())!
    rank.waiting -= 1
    rank.ready.delete(lane!)
    settle(lane!)
    const isStale = nowMs - one.sinceMs > STALE_FACTOR * rank.limits.maxWaitMs
    if (!isStale && !one.isGone()) return one
    one.refuse(overloaded(rank.limits.maxWaitMs))
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
