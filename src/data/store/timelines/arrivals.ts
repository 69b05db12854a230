// The order in which posts and reposts arrived: a number for each that is present, which is never given again.
// Rows that are deleted lose it by a trigger (migrations/026-050/026-timelines.ts).

import type { WriteDb } from '../db.ts'
import { perDatabase } from '../per-database.ts'
import { arrivalTime } from './arrival-clock.ts'

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
