// Schedules calls. Under light load a handler runs immediately. In a burst, only what fits into a turn of a
// few milliseconds runs immediately. The rest waits in one lane per caller, and runs between reads of the
// sockets: one call of each lane in rotation, members (and a frontend on top of our data, in turns) before
// programs and visitors, and within a lane light before heavy. A caller with a thousand requests waits behind
// its own, and one whose calls took long behind the others of its rank.

import type { CallTime } from '../../base/util/turn.ts'
import {
  createRank,
  isBusy,
  isRunnable,
  type Lane,
  type Limits,
  laneOf,
  type RankState,
  refusalIn,
  settle,
  takeNext,
  type Waiting,
  waitingIn,
} from './lanes.ts'

/** `program`: a token of the operator's. */
export type Who = { rank: 'member' | 'program' | 'visitor'; key: string }
/** `frontend`: a call of another AppView's, which takes its data from here. */
export type Queued = Who | { rank: 'frontend'; key: string }
type Rank = Queued['rank']

export type Work<T> = {
  run: () => T | Promise<T>
  isHeavy: boolean
  /** The client has disconnected; its waiting call can be skipped. */
  isGone: () => boolean
  /** The call's time, of which `run` is a turn. */
  time?: CallTime
}

const limits: Record<Rank, Limits> = {
  member: {
    runningEach: 24,
    running: 1024,
    waitingEach: 256,
    waiting: 4096,
    maxWaitMs: 2_000,
    heavyMaxWaitMs: 1_000,
  },
  // A page of a frontend is dozens of calls, and a refused one fails the page: they wait instead.
  frontend: {
    runningEach: 4_096,
    running: 4_096,
    waitingEach: 65_536,
    waiting: 65_536,
    maxWaitMs: 60_000,
    heavyMaxWaitMs: 60_000,
  },
  program: {
    runningEach: 256,
    running: 1024,
    waitingEach: 256,
    waiting: 4096,
    maxWaitMs: 2_000,
    heavyMaxWaitMs: 1_000,
  },
  visitor: {
    runningEach: 24,
    running: 256,
    waitingEach: 128,
    waiting: 1024,
    maxWaitMs: 500,
    heavyMaxWaitMs: 250,
  },
}

/**
 * Longest run of calls before sockets are read again. Short, since Node accepts one new connection
 * per read.
 */
const TURN_MS = 5
/** Assumed duration of a handler until one is measured. */
const FIRST_MEAN_MS = 0.5
const MEAN_WEIGHT = 0.2

/**
 * Refuses calls that would wait too long on arrival (503), before latency grows: heavy before
 * light, visitors before members, and long lanes before short ones, since each arrival's expected
 * wait is computed. Handlers that wait for others (the writer, a feed generator) are counted and
 * limited per caller and per rank.
 */
export class FairQueue {
  readonly #ranks = {
    member: createRank(limits.member),
    frontend: createRank(limits.frontend),
    program: createRank(limits.program),
    visitor: createRank(limits.visitor),
  }
  readonly #now: () => number
  #turnBeganMs: number | undefined
  /** Whether calls have used up this turn of the event loop: others wait until sockets were read. */
  #isUsedUp = false
  #isScheduled = false
  #meanMs = FIRST_MEAN_MS
  #lastRound = { beganMs: 0, count: 0 }
  /** Whether the frontend is next, if both it and members wait: a member may be behind it, too. */
  #isFrontends = false

  /** `now` in milliseconds, from any origin. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** @throws XRPCError 503 or 429, immediately or later, if the call will not run. */
  run<T>({ rank: name, key }: Queued, work: Work<T>): T | Promise<T> {
    const rank = this.#ranks[name]
    const known = rank.lanes.get(key)
    const isFree = !this.#isScheduled && this.#hasTime()
    if (isFree && rank.running < rank.limits.running && !(known && isBusy(known))) {
      return this.#begin(rank, key, work)
    }
    const lane = known ?? laneOf(rank, key)
    const refused = refusalIn(lane, this.#expectedMs(lane), work.isHeavy)
    if (refused) {
      settle(lane, this.#now())
      throw refused
    }
    return this.#wait(lane, work)
  }

  /**
   * Runs a later part of a call that has begun: at once if the thread is free, else in its lane's
   * turn, before the calls that have yet to begin.
   */
  goOn<T>({ rank: name, key }: Queued, run: () => T | Promise<T>): T | Promise<T> {
    const rank = this.#ranks[name]
    if (!this.#isScheduled && this.#hasTime()) return this.#timed(rank, key, run)
    return new Promise((resolve, reject) => {
      const start = () => {
        try {
          resolve(this.#timed(rank, key, run))
        } catch (error) {
          reject(error)
        }
      }
      const lane = laneOf(rank, key)
      lane.later.push({ start, isGone: isNeverGone, refuse: reject, sinceMs: this.#now() })
      rank.later += 1
      this.#queue(lane)
    })
  }

  /** Also schedules the end of the turn, after the sockets are read. */
  #hasTime(): boolean {
    if (this.#isUsedUp) return false
    const nowMs = this.#now()
    if (this.#turnBeganMs === undefined) {
      this.#turnBeganMs = nowMs
      setImmediate(() => this.#endTurn())
    }
    return nowMs - this.#turnBeganMs < TURN_MS
  }

  #endTurn(): void {
    this.#useUp(this.#turnBeganMs!)
    this.#turnBeganMs = undefined
  }

  /** Several long calls in one turn of the event loop would keep all sockets waiting for their sum. */
  #useUp(beganMs: number): void {
    if (this.#isUsedUp || this.#now() - beganMs < TURN_MS) return
    this.#isUsedUp = true
    setImmediate(() => {
      this.#isUsedUp = false
    })
  }

  /** Runs a call now; asynchronous work counts as running until it ends. */
  #begin<T>(rank: RankState, key: string, work: Work<T>): T | Promise<T> {
    const result = this.#timed(rank, key, work.run, work.time)
    if (!(result instanceof Promise)) return result
    const lane = laneOf(rank, key)
    lane.running += 1
    rank.running += 1
    const done = () => this.#leave(lane)
    result.then(done, done)
    return result
  }

  #timed<T>(rank: RankState, key: string, run: () => T, time?: CallTime): T {
    const beganMs = this.#now()
    try {
      return time ? time.run(run) : run()
    } finally {
      const nowMs = this.#now()
      rank.use.add(key, nowMs - beganMs, nowMs)
    }
  }

  #leave(lane: Lane): void {
    lane.running -= 1
    lane.rank.running -= 1
    settle(lane, this.#now())
    this.#schedule()
  }

  #wait<T>(lane: Lane, work: Work<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const start = () => {
        try {
          resolve(this.#begin(lane.rank, lane.key, work))
        } catch (error) {
          reject(error)
        }
      }
      const { isGone } = work
      const item = { start, isGone, refuse: reject, sinceMs: this.#now() }
      lane[work.isHeavy ? 'heavy' : 'light'].push(item)
      this.#queue(lane)
    })
  }

  #queue(lane: Lane): void {
    lane.rank.waiting += 1
    settle(lane, this.#now())
    this.#schedule()
  }

  /** Milliseconds that a new call in `lane` would wait. */
  #expectedMs(lane: Lane): number {
    const { rank } = lane
    const inTurn = (waitingIn(lane) + 1) * Math.max(rank.ready.size, 1)
    return this.#meanMs * (Math.min(inTurn, rank.waiting + 1) + this.#waitingBefore(rank))
  }

  #waitingBefore(rank: RankState): number {
    const { member, frontend, program } = this.#ranks
    if (rank === member) return Math.min(frontend.waiting, member.waiting)
    if (rank === frontend) return Math.min(member.waiting, frontend.waiting)
    const both = member.waiting + frontend.waiting
    return rank === program ? both : both + program.waiting
  }

  #schedule(): void {
    const { member, frontend, program, visitor } = this.#ranks
    const isFirst = isRunnable(member) || isRunnable(frontend)
    const isAny = isFirst || isRunnable(program) || isRunnable(visitor)
    if (this.#isScheduled || !isAny) return
    this.#isScheduled = true
    setImmediate(() => this.#takeTurns())
  }

  #takeTurns(): void {
    this.#isScheduled = false
    if (this.#isUsedUp) {
      this.#schedule()
      return
    }
    const beganMs = this.#now()
    this.#learn(beganMs)
    let count = 0
    let nowMs = beganMs
    for (let next = this.#pick(nowMs); next; next = this.#pick(nowMs)) {
      next.start()
      count += 1
      nowMs = this.#now()
      if (nowMs - beganMs >= TURN_MS) break
    }
    this.#useUp(beganMs)
    this.#schedule()
    this.#lastRound = { beganMs, count: this.#isScheduled ? count : 0 }
  }

  #pick(nowMs: number): Waiting | undefined {
    const { member, frontend, program, visitor } = this.#ranks
    const [first, other] = this.#isFrontends ? [frontend, member] : [member, frontend]
    this.#isFrontends = !this.#isFrontends
    return (
      takeNext(first, nowMs) ??
      takeNext(other, nowMs) ??
      takeNext(program, nowMs) ??
      takeNext(visitor, nowMs)
    )
  }

  /** The time between two rounds is the cost of the round's calls, including overhead. */
  #learn(nowMs: number): void {
    const { beganMs, count } = this.#lastRound
    if (count > 0) this.#meanMs += MEAN_WEIGHT * ((nowMs - beganMs) / count - this.#meanMs)
  }
}

function isNeverGone(): boolean {
  return false
}
