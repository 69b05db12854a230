// Times in which no process wrote the history: from the last sample to the next start. A short one leaves a
// sample in each slot of the coarser rings, so it is recorded beside them. Also whether the process before was
// stopped, or ended by itself: while one runs, the database says so.

import { statSync } from 'node:fs'
import { MINUTE_MS } from '../../../base/util/durations.ts'
import type { Db, WriteDb } from '../db.ts'
import { findMeta, putMeta, removeMeta } from '../meta-values.ts'
import { HISTORY_RINGS } from './history.ts'

export type Hole = {
  /** Milliseconds since 1970. */
  from: number
  to: number
  /** How many processes ended in it without being stopped; undefined: none. */
  ends?: number
}

/** `file`: the database's inode. A copy (a backup, another machine) does not run on. */
type Run = { startedAt: number; file: number }

const KEY = 'history.holes'
const RUN_KEY = 'history.run'
const [FINEST] = HISTORY_RINGS
/** A quick restart loses up to two samples without having been away for long. */
const LEAST_MS = 2 * FINEST.stepSeconds * 1000
/** The least time between an end and the next start, for which the last sample may be too young. */
const LEAST_OF_END_MS = 1_000
const MAX_HOLES = 200

/** Oldest first, at most 200. */
export function readHoles(db: Db): Hole[] {
  return JSON.parse(findMeta<string>(db, KEY) ?? '[]') as Hole[]
}

/** Records the time since the last sample, if it was long, or the process before was not stopped. */
export function beginRun(db: WriteDb, startedAt: number): void {
  const file = fileOf(db)
  const before = JSON.parse(findMeta<string>(db, RUN_KEY) ?? 'null') as Run | null
  const hasEnded = before !== null && before.file === file
  const from = lastSampleEnd(db, startedAt) ?? (hasEnded ? before.startedAt : undefined)
  if (from !== undefined && hasEnded) putEnd(db, { from, to: startedAt })
  else if (from !== undefined && startedAt - from >= LEAST_MS) putHole(db, { from, to: startedAt })
  putMeta(db, RUN_KEY, JSON.stringify({ startedAt, file } satisfies Run))
}

/** The process is being stopped. */
export function endRun(db: WriteDb): void {
  removeMeta(db, RUN_KEY)
}

/** End of the last sample before `at`; undefined if there is none. */
function lastSampleEnd(db: Db, at: number): number | undefined {
  const sql = 'SELECT max(at) FROM history WHERE step_s = ? AND at < ?'
  const start = db.prepare<[number, number], number | null>(sql).pluck().get(FINEST.stepSeconds, at)
  return start == null ? undefined : start + FINEST.stepSeconds * 1000
}

/** A process that ran for less than a minute between two ends was of no use: both are one hole. */
function putEnd(db: WriteDb, { from, to }: Hole): void {
  const last = readHoles(db).at(-1)
  const start = Math.min(from, to - LEAST_OF_END_MS)
  if (last?.ends === undefined || start - last.to >= MINUTE_MS) {
    return putHole(db, { from: start, to, ends: 1 })
  }
  putHole(db, { from: Math.min(start, last.from), to, ends: last.ends + 1 }, last)
}

function putHole(db: WriteDb, hole: Hole, instead?: Hole): void {
  const others = readHoles(db).filter(({ from }) => from !== instead?.from)
  putMeta(db, KEY, JSON.stringify([...others, hole].slice(-MAX_HOLES)))
}

function fileOf(db: Db): number {
  return statSync(db.name).ino
}
