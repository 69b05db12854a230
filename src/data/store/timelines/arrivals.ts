// The order in which posts and reposts arrived: a number for each that is present, which is never given again.
// Rows that are deleted lose it by a trigger (migrations/026-050/026-timelines.ts).

import { features } from '../../../base/feature.ts'
import { HOUR_MS } from '../../../base/util/durations.ts'
import type { Db, WriteDb } from '../db.ts'
import { perDatabase } from '../per-database.ts'

const statements = perDatabase((db) => ({
  add: db.prepare<[number, number, number]>(
    'INSERT INTO arrivals (uid, item, at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  ),
  remove: db.prepare<[number]>('DELETE FROM arrivals WHERE item = ?'),
}))

/**
 * Numbers an item that became present; one that already was keeps its number.
 *
 * @param uid - of the account that wrote or reposted it
 */
export function numberArrival(db: WriteDb, { uid, item }: { uid: number; item: number }): void {
  statements(db).add.run(uid, item, arrivalTime(db))
}

/** For an item that is no longer present, if it was. */
export function removeArrival(db: WriteDb, item: number): void {
  statements(db).remove.run(item)
}

// The time at which something arrives, for all that is numbered by arrival. Merges of timelines that number
// differently are ordered by it, so it must not go back when the machine's clock does.

/** A clock that is set back by more was wrong before, and is followed. */
const MOST_HELD_MS = HOUR_MS

const OF_FEATURES = features
  .flatMap(({ arrivals = [] }) => arrivals)
  .map(({ table, at }) => `UNION ALL SELECT max(${at}) FROM ${table}`)
  .join('\n  ')

const LAST = /* sql */ `SELECT max(at) FROM (
  SELECT max(at) AS at FROM (SELECT at FROM arrivals ORDER BY seq DESC LIMIT 1)
  UNION ALL SELECT max(at) FROM (SELECT at FROM act_arrivals ORDER BY seq DESC LIMIT 1)
  UNION ALL SELECT max(at) FROM (SELECT arrived_at AS at FROM notifications ORDER BY id DESC LIMIT 1)
  ${OF_FEATURES})`

const latest = perDatabase((db) => ({ at: lastStored(db) }))

/** Milliseconds since 1970, by our clock: never lower than for what arrived before. */
export function arrivalTime(db: WriteDb): number {
  const last = latest(db)
  const now = Date.now()
  const isHeld = now < last.at && last.at - now <= MOST_HELD_MS
  if (!isHeld) last.at = now
  return last.at
}

/** As far as the newest rows tell, at a start. */
function lastStored(db: Db): number {
  return db.prepare<[], number | null>(LAST).pluck().get() ?? 0
}
