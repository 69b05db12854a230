// Slipstream's metrics over time, in rings of samples (migrations/001-025/013-history.ts). The finest ring is written
// continuously; each coarser ring averages the next finer one.

import type { Db, WriteDb } from '../db.ts'
import { perDatabase } from '../per-database.ts'

/** Columns of a sample, in reading order. */
export const HISTORY_SERIES = [
  'events_s',
  'lag_ms',
  'visible_ms',
  'requests_s',
  'failures_s',
  'answer_p50_ms',
  'answer_p99_ms',
  'memory_bytes',
  'database_bytes',
  'disk_free_bytes',
  'members',
  'timelines',
  'actors',
  'follows',
  'jobs',
  'open_gaps',
] as const

export type HistorySeries = (typeof HISTORY_SERIES)[number]
export type HistorySample = Partial<Record<HistorySeries, number>>

/** Rings, finest first: seconds per slot, and the number of slots. */
export const HISTORY_RINGS = [
  { name: 'hour', stepSeconds: 10, slots: 360 },
  { name: 'day', stepSeconds: 60, slots: 1_440 },
  { name: 'month', stepSeconds: 600, slots: 4_320 },
] as const

export type HistoryRing = (typeof HISTORY_RINGS)[number]

const names = HISTORY_SERIES.join(', ')
const marks = HISTORY_SERIES.map(() => '?').join(', ')
const averages = HISTORY_SERIES.map((name) => `avg(${name})`).join(', ')

type Row = [at: number, ...values: (number | null)[]]

const statements = perDatabase((db) => ({
  put: db.prepare<(number | null)[]>(
    `INSERT OR REPLACE INTO history (step_s, slot, at, ${names}) VALUES (?, ?, ?, ${marks})`,
  ),
  average: db.prepare<number[]>(
    `INSERT OR REPLACE INTO history (step_s, slot, at, ${names})
      SELECT ?, ?, ?, ${averages} FROM history WHERE step_s = ? AND at >= ? AND at < ?
      HAVING count(*) > 0`,
  ),
}))

/**
 * Writes the finest ring's slot for `at` (milliseconds since 1970), and the coarser slots that
 * contain it as far as they are known, so that a stop loses none of them.
 */
export function putHistory(db: WriteDb, at: number, sample: HistorySample): void {
  const [finest, ...coarser] = HISTORY_RINGS
  const start = slotStart(finest, at)
  const values = HISTORY_SERIES.map((name) => sample[name] ?? null)
  const { put, average } = statements(db)
  put.run(finest.stepSeconds, slotOf(finest, start), start, ...values)
  let finer: HistoryRing = finest
  for (const ring of coarser) {
    const from = slotStart(ring, at)
    const to = from + ring.stepSeconds * 1000
    average.run(ring.stepSeconds, slotOf(ring, from), from, finer.stepSeconds, from, to)
    finer = ring
  }
}

export type History<Name extends HistorySeries = HistorySeries> = {
  /** Milliseconds since 1970, ascending. */
  at: number[]
  /** Values in the order of `at`. */
  series: Record<Name, (number | null)[]>
}

/**
 * The named series of a ring as seen at `now`: skips older slots that were not overwritten. Rarely
 * called, so the statement is not cached.
 */
export function readHistory<Name extends HistorySeries>(
  db: Db,
  { stepSeconds, slots }: HistoryRing,
  { now, series }: { now: number; series: readonly Name[] },
): History<Name> {
  const since = now - slots * stepSeconds * 1000
  const sql = `SELECT at, ${series.join(', ')} FROM history WHERE step_s = ? AND at >= ? ORDER BY at`
  const rows = db.prepare<[number, number], Row>(sql).raw().all(stepSeconds, since)
  const columns = series.map((name, i) => [name, rows.map((row) => row[i + 1] ?? null)])
  return {
    at: rows.map(([at]) => at),
    series: Object.fromEntries(columns) as History<Name>['series'],
  }
}

function slotStart({ stepSeconds }: HistoryRing, at: number): number {
  const stepMs = stepSeconds * 1000
  return Math.floor(at / stepMs) * stepMs
}

function slotOf({ stepSeconds, slots }: HistoryRing, start: number): number {
  return (start / (stepSeconds * 1000)) % slots
}
