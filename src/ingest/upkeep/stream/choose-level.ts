// Chooses what the stream leaves out, by the month's bytes. More is left out as soon as the rest of the month
// would not fit; it is taken back only if a whole month would fit with room to spare, a step a day. Between the
// two lies what keeps the choice from going back and forth.

import { DAY_MS, HOUR_MS } from '../../../base/util/durations.ts'
import type { StreamLevel } from '../../../data/store/stream/stream-levels.ts'

type Situation = {
  level: StreamLevel
  /** Of the last change, in milliseconds; undefined: none so far. */
  changedAt: number | undefined
  now: number
  /** For a calendar month, UTC. */
  budgetBytes: number
  /** Since the first of the month. */
  receivedBytes: number
  /** Undefined: not known yet. */
  dayBytesAt: (level: StreamLevel) => number | undefined
  /** Over how much of the last days that was measured. */
  measuredMs: number
  /** The highest that the hosts’ filters allow for so many accounts. */
  highest: StreamLevel
}

const MONTH_DAYS = 30
/** To be taken back, a choice must leave this part of the budget unused. */
const SPARE = 0.1
/** Of the budget, before a day was measured. */
const EARLY_PART = 0.05
const LEAST_MS = { more: HOUR_MS, less: DAY_MS }

export function chooseLevel(situation: Situation): StreamLevel {
  const { level, changedAt = Number.NEGATIVE_INFINITY, now, highest, dayBytesAt } = situation
  if (level > highest) return highest
  if (dayBytesAt(level) === undefined) return level
  const waitedMs = now - changedAt
  if (!fits(situation, level)) {
    return waitedMs < LEAST_MS.more || isEarly(situation) ? level : leastFitting(situation)
  }
  if (level === 0 || waitedMs < LEAST_MS.less) return level
  const less = (level - 1) as StreamLevel
  return fits(situation, less) && fitsMonth(situation, less) ? less : level
}

/** A few hours may be the busiest of the day; unless the budget is small, they are waited out. */
function isEarly({ measuredMs, receivedBytes, budgetBytes }: Situation): boolean {
  return measuredMs < DAY_MS && receivedBytes < budgetBytes * EARLY_PART
}

/** Whether the rest of the month fits into what is left of the budget. */
function fits({ now, budgetBytes, receivedBytes, dayBytesAt }: Situation, level: StreamLevel) {
  const day = dayBytesAt(level)
  if (day === undefined) return false
  return receivedBytes + (day * monthLeftMs(now)) / DAY_MS <= budgetBytes
}

function fitsMonth({ budgetBytes, dayBytesAt }: Situation, level: StreamLevel): boolean {
  return dayBytesAt(level)! * MONTH_DAYS <= budgetBytes * (1 - SPARE)
}

function leastFitting(situation: Situation): StreamLevel {
  const { level, highest } = situation
  for (let next = level + 1; next < highest; next++) {
    if (fits(situation, next as StreamLevel)) return next as StreamLevel
  }
  return highest
}

/** Until the first of the next month, UTC. */
function monthLeftMs(now: number): number {
  const date = new Date(now)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) - now
}
