// The quiet hours of members who have set any.

import type { Db, WriteDb } from '../../../data/store/db.ts'
import { perDatabase } from '../../../data/store/per-database.ts'

/** Minutes since midnight; `ends` is on the next day if it is earlier. */
export type QuietHours = { starts: number; ends: number; timeZone: string }

const statements = perDatabase((db) => ({
  find: db.prepare<[number], QuietHours>(
    'SELECT starts, ends, time_zone AS timeZone FROM push_quiet_hours WHERE uid = ?',
  ),
  put: db.prepare<[QuietHours & { uid: number }]>(
    `INSERT INTO push_quiet_hours (uid, starts, ends, time_zone)
      VALUES (@uid, @starts, @ends, @timeZone)
      ON CONFLICT DO UPDATE SET starts = excluded.starts, ends = excluded.ends,
        time_zone = excluded.time_zone`,
  ),
  remove: db.prepare<[number]>('DELETE FROM push_quiet_hours WHERE uid = ?'),
}))

export function findQuietHours(db: Db, uid: number): QuietHours | undefined {
  return statements(db).find.get(uid)
}

/** @param hours - undefined: none any more */
export function putQuietHours(db: WriteDb, uid: number, hours: QuietHours | undefined): void {
  if (hours) statements(db).put.run({ uid, ...hours })
  else statements(db).remove.run(uid)
}
