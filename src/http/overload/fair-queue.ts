// Whose turn it is. As long as there is little to do, a call's handler runs at once. Where much came at once, only
// what fits into a turn of a few milliseconds runs at once; the rest waits here, in a lane for each caller, and is
// run between the readings of the sockets: one of each lane in turn, members before visitors, and of a lane the
// light before the heavy. Who asks a thousand things waits behind themselves.

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

type Rank = 'member' | 'visitor'
export type Who = { rank: Rank; key: string }

export type Work<T> = {
  run: () => T | Promise<T>
  isHeavy: boolean
  /** The client has left; what waits for it need not be done. */
  isGone: () => boolean
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
 * What is done at once, or in a row, before sockets are looked at again. Short, since Node takes one new
 * connection each time it looks.
 */
const TURN_MS = 5
/** Until there is a measurement: what a handler takes. */
const FIRST_MEAN_MS = 0.5
const MEAN_WEIGHT = 0.2

/**
 * What would wait too long is refused when it comes (503), before latency grows: heavy before light, visitors before
 * members, and those with a long lane before those with a short one, because the expected wait is asked for each
 * arrival. Handlers that wait for others (the writer, a feed generator) are counted, and bounded for each caller and
 * each rank.
 */
export class FairQueue {
  readonly #ranks = { member: createRank(limits.member), visitor: createRank(limits.visitor) }
  readonly #now: () => number
  #turnBeganMs: number | undefined
  #isScheduled = false
  #meanMs = FIRST_MEAN_MS
  #lastRound = { beganMs: 0, count: 0 }

  /** `now` in milliseconds, of any beginning. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** @throws XRPCError 503 or 429, at once or later, where it is not going to run. */
  run<T>({ rank: name, key }: Who, work: Work<T>): T | Promise<T> {
    const rank = this.#ranks[name]
    const known = rank.lanes.get(key)
    const isFree = !this.#isScheduled && this.#hasTime()
    if (isFree && rank.running < rank.limits.running && !(known && isBusy(known))) {
      return this.#begin(rank, key, work)
    }
    const lane = known ?? laneOf(rank, key)
    const refused = refusalIn(lane, this.#expectedMs(lane), work.isHeavy)
    if (refused) {
      settle(lane)
      throw refused
    }
    return this.#wait(lane, work)
  }

  /** Also sees to it that the turn ends, once the sockets are read. */
  #hasTime(): boolean {
    const nowMs = this.#now()
    if (this.#turnBeganMs === undefined) {
      this.#turnBeganMs = nowMs
      setImmediate(() => {
        this.#turnBeganMs = undefined
      })
    }
    return nowMs - this.#turnBeganMs < TURN_MS
  }

  /** Runs it now; what goes on afterwards is counted until it ends. */
  #begin<T>(rank: RankState, key: string, work: Work<T>): T | Promise<T> {
    const result = work.run()
    if (!(result instanceof Promise)) return result
    const lane = laneOf(rank, key)
    lane.running += 1
    rank.running += 1
    const done = () => this.#leave(lane)
    result.then(done, done)
    return result
  }

  #leave(lane: Lane): void {
    lane.running -= 1
    lane.rank.running -= 1
    settle(lane)
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
      const one = { start, isGone, refuse: reject, sinceMs: this.#now() }
      lane[work.isHeavy ? 'heavy' : 'light'].push(one)
      lane.rank.waiting += 1
      settle(lane)
      this.#schedule()
    })
  }

  /** Milliseconds that an arrival in `lane` would wait. */
  #expectedMs(lane: Lane): number {
    const { member, visitor } = this.#ranks
    const { rank } = lane
    const inTurn = (waitingIn(lane) + 1) * Math.max(rank.ready.size, 1)
    const ahead = Math.min(inTurn, rank.waiting + 1)
    return this.#meanMs * (rank === visitor ? ahead + member.waiting : ahead)
  }

  #schedule(): void {
    const { member, visitor } = this.#ranks
    if (this.#isScheduled || !(isRunnable(member) || isRunnable(visitor))) return
    this.#isScheduled = true
    setImmediate(() => this.#takeTurns())
  }

  #takeTurns(): void {
    this.#isScheduled = false
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
    this.#schedule()
    this.#lastRound = { beganMs, count: this.#isScheduled ? count : 0 }
  }

  #pick(nowMs: number): Waiting | undefined {
    const { member, visitor } = this.#ranks
    return takeNext(member, nowMs) ?? takeNext(visitor, nowMs)
  }

  /** From one round to the next is what its calls took with all that is around them. */
  #learn(nowMs: number): void {
    const { beganMs, count } = this.#lastRound
    if (count > 0) this.#meanMs += MEAN_WEIGHT * ((nowMs - beganMs) / count - this.#meanMs)
  }
}
