// Times in which no process wrote the history: from the last sample to the next start. A short one leaves a
// sample in each slot of the coarser rings, so it is recorded beside them.

import type { Db, WriteDb } from './db.ts'
import { HISTORY_RINGS } from './history.ts'
import { findMeta, putMeta } from './meta-values.ts'

/** Milliseconds since 1970. */
export type Hole = { from: number; to: number }

const KEY = 'history.holes'
const [FINEST] = HISTORY_RINGS
/** A quick restart loses up to two samples without having been away for long. */
const LEAST_MS = 2 * FINEST.stepSeconds * 1000
const MAX_HOLES = 200

/** Oldest first, at most 200. */
export function readHoles(db: Db): Hole[] {
  return JSON.parse(findMeta<string>(db, KEY) ?? '[]') as Hole[]
}

/** End of the last sample before `at`; undefined if there is none. */
export function lastSampleEnd(db: Db, at: number): number | undefined {
  const sql = 'SELECT max(at) FROM history WHERE step_s = ? AND at < ?'
  const start = db.prepare<[number, number], number | null>(sql).pluck().get(FINEST.stepSeconds, at)
  return start == null ? undefined : start + FINEST.stepSeconds * 1000
}

/** Records a hole, unless it is as short as that of a quick restart. */
export function putHole(db: WriteDb, hole: Hole): void {
  if (hole.to - hole.from < LEAST_MS) return
  putMeta(db, KEY, JSON.stringify([...readHoles(db), hole].slice(-MAX_HOLES)))
}
