// The row of a fair queue (fair-queue.ts): a lane for each caller of a rank, with what waits in it, light
// and heavy, and how much of it goes on. Lanes whose turn may come stand in `ready`, in the order of their
// turns; a lane with nothing in it is forgotten.

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
  /** Lanes with something to run, whose turn comes in this order. */
  ready: Set<Lane>
  waiting: number
  running: number
}

export type Limits = {
  /** Handlers that wait for others, of one caller and of the rank. */
  runningEach: number
  running: number
  /** What may wait. */
  waitingEach: number
  waiting: number
  /** Expected milliseconds beyond which an arrival is refused. */
  maxWaitMs: number
  heavyMaxWaitMs: number
}

/** Nobody waits for an answer as old as this many times the longest wait. */
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

/** Nothing of this caller may run now, or something waits that came before. */
export function isBusy(lane: Lane): boolean {
  return waitingIn(lane) > 0 || lane.running >= lane.rank.limits.runningEach
}

export function isRunnable({ ready, running, limits }: RankState): boolean {
  return ready.size > 0 && running < limits.running
}

/** Puts a lane where it belongs now: in the row, beside it, or nowhere. */
export function settle(lane: Lane): void {
  const { rank, running } = lane
  const isWaiting = waitingIn(lane) > 0
  if (isWaiting && running < rank.limits.runningEach) rank.ready.add(lane)
  else rank.ready.delete(lane)
  if (!isWaiting && running === 0) rank.lanes.delete(lane.key)
}

/** The next that somebody still waits for; its lane goes to the end of the row. */
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

/** Why something that would wait `waitMs` in this lane is not taken. */
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
