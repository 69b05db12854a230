// Where each stream stands: one row for each host and wire.

import type { StreamCursor } from '../jetstream/event.ts'
import type { Db } from './db.ts'
import { perDatabase } from './per-database.ts'

type Row = { host: string; wire: 'v1' | 'v2'; seq: number | null; time_us: number }

const statements = perDatabase((db) => ({
  put: db.prepare<[string, string, number | null, number, number]>(
    'INSERT OR REPLACE INTO stream_cursors (host, wire, seq, time_us, saved_at) VALUES (?, ?, ?, ?, ?)',
  ),
  all: db.prepare<[], Row>(
    'SELECT host, wire, seq, time_us FROM stream_cursors ORDER BY saved_at DESC, time_us DESC',
  ),
}))

export function putStreamCursor(db: Db, cursor: StreamCursor, savedAt: number): void {
  const { host, wire, seq, timeUs } = cursor
  statements(db).put.run(host, wire, seq ?? null, timeUs, savedAt)
}

/** The one saved last comes first. */
export function streamCursors(db: Db): StreamCursor[] {
  return statements(db)
    .all.all()
    .map(({ host, wire, seq, time_us }) => ({ host, wire, seq: seq ?? undefined, timeUs: time_us }))
}
