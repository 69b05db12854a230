// The latest arrivals in this node's rows, kept in memory: bringing a member's page up to date scans the
// arrivals since the last time, and all members share them.

import type { Arrival, ArrivalReader } from '../../timelines/store/read/arrivals.ts'

export type ArrivalTail = {
  /** Number of the latest arrival. */
  tip(): number
  /** @returns all later arrivals; undefined if they are too many, or too old */
  after(seq: number): readonly Arrival[] | undefined
  /**
   * Returns a number that precedes everything that arrived at or after this time, in milliseconds;
   * undefined as above.
   */
  before(at: number): number | undefined
}

const READ_AT_ONCE = 1_000
const MAX_STORED = 8_192

export function createArrivalTail(arrivals: Pick<ArrivalReader, 'tip' | 'all'>): ArrivalTail {
  let retained: Arrival[] = []
  /** All later arrivals are kept. */
  let start = arrivals.tip()

  const tip = () => retained.at(-1)?.seq ?? start

  function beginAnew(): void {
    retained = []
    start = arrivals.tip()
  }

  function catchUp(): void {
    for (let read = 0; ; read += READ_AT_ONCE) {
      if (read > MAX_STORED) return beginAnew()
      const rows = arrivals.all({ at: tip(), isForward: true, limit: READ_AT_ONCE })
      retained.push(...rows)
      if (rows.length < READ_AT_ONCE) break
    }
    if (retained.length <= MAX_STORED * 2) return
    start = retained[retained.length - MAX_STORED - 1]!.seq
    retained = retained.slice(-MAX_STORED)
  }

  /** Reads back until an arrival is older than `at`, none are left, or the limit is reached. */
  function reachBack(at: number): boolean {
    while ((retained[0]?.at ?? Infinity) >= at) {
      if (retained.length >= MAX_STORED) return false
      const rows = arrivals.all({ at: start + 1, isForward: false, limit: READ_AT_ONCE })
      if (rows.length === 0) {
        start = 0
        return true
      }
      retained = [...rows.toReversed(), ...retained]
      start = retained[0]!.seq - 1
    }
    return true
  }

  return {
    tip() {
      catchUp()
      return tip()
    },
    after(seq) {
      catchUp()
      return seq < start ? undefined : retained.slice(firstAbove(retained, seq))
    },
    before(at) {
      catchUp()
      if (!reachBack(at)) return undefined
      return retained.findLast((arrival) => arrival.at < at)?.seq ?? start
    },
  }
}

function firstAbove(stored: readonly Arrival[], seq: number): number {
  let [low, high] = [0, stored.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (stored[middle]!.seq <= seq) low = middle + 1
    else high = middle
  }
  return low
}
