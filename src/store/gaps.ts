// Holes in what was received, kept until they are repaired.

import type { StreamGap } from '../jetstream/event.ts'
import type { Db } from './db.ts'
import { perDatabase } from './per-database.ts'

export type GapRow = {
  id: number
  host: string
  from_us: number
  to_us: number
  cause: string
  state: string
  found_at: number
}

const statements = perDatabase((db) => ({
  insert: db.prepare<[string, number, number, string, number]>(
    'INSERT INTO gaps (host, from_us, to_us, cause, found_at) VALUES (?, ?, ?, ?, ?)',
  ),
  countOpen: db.prepare<[], number>("SELECT count(*) FROM gaps WHERE state <> 'closed'").pluck(),
  open: db.prepare<[], GapRow>(
    "SELECT id, host, from_us, to_us, cause, state, found_at FROM gaps WHERE state <> 'closed' ORDER BY id",
  ),
}))

export function countOpenGaps(db: Db): number {
  return statements(db).countOpen.get() ?? 0
}

export function insertGap(db: Db, gap: StreamGap, foundAt: number): void {
  statements(db).insert.run(gap.host, gap.fromUs, gap.toUs, gap.cause, foundAt)
}

export function openGaps(db: Db): GapRow[] {
  return statements(db).open.all()
}
