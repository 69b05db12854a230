// What the server did in the last thirty days, from the history of its metrics: sums of rates, each of ten minutes.

import { HISTORY_RINGS, readHistory } from '../../data/store/counts/history.ts'
import { type Hole, readHoles } from '../../data/store/counts/history-holes.ts'
import type { Db } from '../../data/store/db.ts'
import { streamBytes } from '../../data/store/stream/stream-bytes.ts'

export type Month = {
  /** Milliseconds since 1970 of the first sample, if there is one. */
  from: number | undefined
  /** Share of the time since then in which it ran. */
  ran: number | undefined
  events: number
  answers: number
  failures: number
  /** Milliseconds: the middle one, by time, of the 99th percentiles of answers. */
  answerP99Ms: number | undefined
  /** The longest that it was behind the network, in milliseconds. */
  mostLagMs: number | undefined
  members: Change
  databaseBytes: Change
  /** Received by the streams since the first of the month, UTC. */
  streamBytes: number
}

type Change = { from: number; to: number } | undefined

const RING = HISTORY_RINGS[2]
const SERIES = [
  'events_s',
  'requests_s',
  'failures_s',
  'answer_p99_ms',
  'lag_ms',
  'members',
  'database_bytes',
] as const

export function monthOf(db: Db, now: number): Month {
  const { at, series } = readHistory(db, RING, { now, series: SERIES })
  const [from] = at
  const p99s = known(series.answer_p99_ms).sort((a, b) => a - b)
  const lags = known(series.lag_ms)
  return {
    from,
    ran:
      from === undefined || from >= now
        ? undefined
        : 1 - absentMs(at, readHoles(db), now) / (now - from),
    events: sumOf(series.events_s),
    answers: sumOf(series.requests_s),
    failures: sumOf(series.failures_s),
    answerP99Ms: p99s[Math.floor(p99s.length / 2)],
    mostLagMs: lags.length === 0 ? undefined : Math.max(...lags),
    members: changeOf(series.members),
    databaseBytes: changeOf(series.database_bytes),
    streamBytes: streamBytes(db, now).thisMonth,
  }
}

/** Slots without a sample, except the one being written, and holes within those that have one. */
function absentMs(at: readonly number[], holes: readonly Hole[], now: number): number {
  const stepMs = RING.stepSeconds * 1000
  const written = new Set(at)
  let absent = 0
  for (let from = at[0]!; from < now; from += stepMs) {
    const to = Math.min(from + stepMs, now)
    if (written.has(from) || to === now) absent += overlapMs(holes, from, to)
    else absent += stepMs
  }
  return absent
}

function overlapMs(holes: readonly Hole[], from: number, to: number): number {
  const parts = holes.map((hole) => Math.min(to, hole.to) - Math.max(from, hole.from))
  return parts.reduce((sum, part) => sum + Math.max(0, part), 0)
}

function sumOf(rates: readonly (number | null)[]): number {
  return Math.round(known(rates).reduce((sum, rate) => sum + rate, 0) * RING.stepSeconds)
}

function changeOf(values: readonly (number | null)[]): Change {
  const found = known(values).map((value) => Math.round(value))
  return found.length === 0 ? undefined : { from: found[0]!, to: found.at(-1)! }
}

function known(values: readonly (number | null)[]): number[] {
  return values.filter((value) => value !== null)
}
