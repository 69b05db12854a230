// The time for which a call may hold its thread. A call runs in turns: from where the queue lets it begin or go
// on to where it waits or ends. Within a turn, readers ask `isTimeUp` between reads: what can end early ends
// with a cursor; what can't hands the thread back with `inTurns`. A turn is synchronous, so that no handle
// need be passed down (as with `timed`). Outside of calls, time is never up.

import { setImmediate as socketsRead } from 'node:timers/promises'
import { threadMs } from './thread-time.ts'

type CallTimeOptions = {
  /** Milliseconds of processor time after which a turn should end; Infinity: never. */
  turnMs: number
  /** The thread's processor time; tests give their own. */
  clock?: () => number
  /** Told at the end of each turn how long the call has held the thread so far, in milliseconds. */
  onUsed?: (usedMs: number) => void
  /** Runs a later part of the call in its caller's next turn; at once if the thread is free. */
  goOn?: <T>(work: () => T | Promise<T>) => T | Promise<T>
}

let current: CallTime | undefined

/** One call's time on this thread. */
export class CallTime {
  readonly #options: CallTimeOptions
  readonly #clock: () => number
  #usedMs = 0
  #turns = 0
  #beganMs = 0
  /** The wall clock before which the turn can't have used its processor time: it is cheaper to read. */
  #upAt = 0
  /** Whether it works on a part of a list of which there is more. */
  hasMoreParts = false

  constructor(options: CallTimeOptions) {
    this.#options = options
    this.#clock = options.clock ?? threadMs
  }

  get usedMs(): number {
    return this.#usedMs
  }

  /** Runs a turn, or a part of the turn that is running. */
  run<T>(work: () => T): T {
    if (current) return work()
    current = this
    this.#turns++
    this.#beganMs = this.#clock()
    this.#upAt = performance.now() + this.#options.turnMs
    try {
      return work()
    } finally {
      current = undefined
      this.#usedMs += this.#clock() - this.#beganMs
      this.#options.onUsed?.(this.#usedMs)
    }
  }

  /** Runs a later part of the call, when its caller has a turn. */
  goOn<T>(work: () => T | Promise<T>): T | Promise<T> {
    const turn = () => this.run(work)
    return this.#options.goOn ? this.#options.goOn(turn) : turn()
  }

  /**
   * Runs a part of the call: at once within a turn, otherwise when its caller has one, since many
   * calls may have waited for the same.
   */
  part<T>(work: () => T | Promise<T>): T | Promise<T> {
    return current ? work() : this.goOn(work)
  }

  /** Counts what was done for the call in none of its turns, or by another thread. */
  addElsewhere(ms: number): void {
    this.#usedMs += ms
    this.#options.onUsed?.(this.#usedMs)
  }

  isUp(): boolean {
    if (this.#clock === threadMs && performance.now() < this.#upAt) return false
    return this.leftMs() <= 0
  }

  /** Of the turn that is running. */
  leftMs(): number {
    const leftMs = this.#options.turnMs - (this.#clock() - this.#beganMs)
    this.#upAt = performance.now() + leftMs
    return leftMs
  }

  /** How many turns have begun. */
  get turns(): number {
    return this.#turns
  }
}

/** Whether the call that is running should end its turn. */
export function isTimeUp(): boolean {
  return current?.isUp() ?? false
}

/** What is known for one look only may be kept for the next part of the call's list. */
export function currentCall(): Pick<CallTime, 'hasMoreParts' | 'addElsewhere'> | undefined {
  return current
}

/** The number of the running call's turn; it stays the same outside of calls. */
export function turnNumber(): number {
  return current?.turns ?? 0
}

/** Wraps what the running call does after waiting, so that it is a turn of that call, too. */
export function inLaterTurn<A, T>(
  then: (value: A) => T | Promise<T>,
): (value: A) => T | Promise<T> {
  const call = current
  return call ? (value) => call.goOn(() => then(value)) : then
}

/** Wraps what is called again and again for the running call, such as a look whether data has arrived. */
export function forThisCall<T>(work: () => T): () => T {
  const call = current
  return call ? () => call.run(work) : work
}

/**
 * Runs work to its end, handing the thread to others at its yields whenever the turn's time is up.
 * Synchronous if it never is.
 */
export function inTurns<T>(work: Generator<void, T>): T | Promise<T> {
  for (let step = work.next(); ; step = work.next()) {
    if (step.done) return step.value
    if (current?.isUp()) return goOnLater(current, () => inTurns(work))
  }
}

/** Runs work to its end in one turn. */
export function atOnce<T>(work: Generator<void, T>): T {
  for (let step = work.next(); ; step = work.next()) if (step.done) return step.value
}

/**
 * `fewest`: an item may show a dozen posts of the largest size, and take a turn by itself. `most`: however
 * little those before took, since the next ones may be larger.
 */
const SIZES = { fewest: 1, most: 24 }

const NO_DEARER = 1.25

/**
 * Works on a list in parts, as large as fit into what is left of the turn if their items take as long as those before.
 * A part may cost the same however few it has (as for a viewer who is on ten thousand lists): then they grow.
 * Outside of calls, in one.
 */
export function* inParts<T, U>(
  items: readonly T[],
  work: (some: readonly T[]) => readonly U[],
  sizes = SIZES,
): Generator<void, readonly U[]> {
  const call = current
  if (!call || items.length <= sizes.fewest) return work(items)
  const done: U[] = []
  let most = sizes.fewest
  let before = { size: 0, ms: Number.POSITIVE_INFINITY }
  for (let at = 0; ; ) {
    const leftMs = call.leftMs()
    const some = items.slice(at, at + most)
    at += some.length
    call.hasMoreParts = at < items.length
    try {
      for (const item of work(some)) done.push(item)
    } finally {
      call.hasMoreParts = false
    }
    if (at === items.length) return done
    const ms = leftMs - call.leftMs()
    const eachMs = ms / some.length
    const isNoDearer = some.length >= before.size * 2 && ms < before.ms * NO_DEARER
    before = { size: some.length, ms }
    if (call.isUp()) yield
    // Nothing can be said where a turn has no end, or the items took no time.
    const fitting = eachMs > 0 ? Math.floor(call.leftMs() / eachMs) : sizes.most
    const grown = isNoDearer ? some.length * 2 : 0
    most = Math.min(sizes.most, Math.max(sizes.fewest, fitting, grown))
  }
}

/** Runs work to its end, handing the thread to others at each of its yields. Outside of calls, at none. */
export function sharingTurns<T>(work: Generator<void, T>): T | Promise<T> {
  const call = current
  if (!call) return inTurns(work)
  const step = work.next()
  return step.done ? step.value : goOnLater(call, () => sharingTurns(work))
}

/** Goes on once the sockets were read, so that others' calls can be in the queue before it. */
async function goOnLater<T>(call: CallTime, then: () => T | Promise<T>): Promise<T> {
  await socketsRead()
  return call.goOn(then)
}

// Time this thread spends on answers, by part, as growing sums: to measure one answer, read them before and
// after. This needs no handle to be passed down, since the work is not interrupted. Time in a nested part
// counts for the inner part only.

const PARTS = ['skeleton', 'rows'] as const

type Part = (typeof PARTS)[number]

/** Milliseconds. */
export const spent: Record<Part, number> = { skeleton: 0, rows: 0 }

let inner = 0

export function timed<T>(part: Part, work: () => T): T {
  const outer = inner
  inner = 0
  const startedAt = performance.now()
  try {
    return work()
  } finally {
    const took = performance.now() - startedAt
    spent[part] += took - inner
    inner = outer + took
  }
}

// Values that are synchronous whenever possible: without anything to wait for, the answer is made in the same
// turn. What goes on after waiting is a later turn of the same call.

export type MaybeLater<T> = T | Promise<T>

export function andThen<T, U>(
  found: MaybeLater<T>,
  then: (found: T) => MaybeLater<U>,
): MaybeLater<U> {
  return found instanceof Promise ? found.then(inLaterTurn(then)) : then(found)
}

/**
 * Does part of a call's work after an `await`, when its caller has a turn: many calls may have
 * waited for the same.
 */
export function inTurn<T>(
  { time }: { time?: CallTime | undefined },
  work: () => MaybeLater<T>,
): MaybeLater<T> {
  return time ? time.part(work) : work()
}

/** Collects all values in order; synchronous if all of them are. */
export function allOf<T>(found: readonly MaybeLater<T>[]): MaybeLater<T[]> {
  return found.some((maybeLater) => maybeLater instanceof Promise)
    ? Promise.all(found)
    : (found as T[])
}
