// The sum of the counts of the last hour, to the minute: one slot per minute, reused an hour later.

import { MINUTE_MS } from '../util/durations.ts'

const SLOTS = 60

type LastHour = {
  add(value: number): void
  sum(): number
}

/** @param now - milliseconds since 1970 */
export function createLastHour(now: () => number): LastHour {
  const sums = new Float64Array(SLOTS)
  const minutes = new Float64Array(SLOTS)
  const minute = () => Math.floor(now() / MINUTE_MS)
  return {
    add(value) {
      const current = minute()
      const slot = current % SLOTS
      if (minutes[slot] !== current) sums[slot] = 0
      minutes[slot] = current
      sums[slot]! += value
    },
    sum() {
      const after = minute() - SLOTS
      return sums.reduce((sum, value, slot) => (minutes[slot]! > after ? sum + value : sum), 0)
    },
  }
}
