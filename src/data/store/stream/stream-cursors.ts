// The position of each stream: one row per host and wire.

import type { StreamCursor } from '@slipstream/jetstream'
import type { Db, WriteDb } from '../db.ts'
import { perDatabase } from '../per-database.ts'

type Row = {
  host: string
  wire: StreamCursor['wire']
  seq: number | null
  time_us: number
  by_clock: number
  mark: string | null
}

const statements = perDatabase((db) => ({
  put: db.prepare<[string, string, number | null, number, number, number, string | null]>(
    'INSERT OR REPLACE INTO stream_cursors (host, wire, seq, time_us, by_clock, saved_at, mark) VALUES (?, ?, ?, ?, ?, ?, ?)',
  ),
  clear: db.prepare('DELETE FROM stream_cursors'),
  all: db.prepare<[], Row>(
    'SELECT host, wire, seq, time_us, by_clock, mark FROM stream_cursors ORDER BY saved_at DESC, time_us DESC',
  ),
}))

export function putStreamCursor(db: WriteDb, cursor: StreamCursor, savedAt: number): void {
  const { host, wire, seq, timeUs, isByClock, mark = null } = cursor
  statements(db).put.run(host, wire, seq ?? null, timeUs, isByClock ? 1 : 0, savedAt, mark)
}

/** Makes this the only position, replacing those on other hosts. */
export function replaceStreamCursors(db: WriteDb, cursor: StreamCursor, savedAt: number): void {
  statements(db).clear.run()
  putStreamCursor(db, cursor, savedAt)
}

/** Of Jetstream hosts; most recently saved first. */
export function streamCursors(db: Db): StreamCursor[] {
  return allCursors(db).filter(({ wire }) => wire !== 'repos')
}

/** Of relays and PDSs (com.atproto.sync.subscribeRepos); most recently saved first. */
export function firehoseCursors(db: Db): StreamCursor[] {
  return allCursors(db).filter(({ wire }) => wire === 'repos')
}

function allCursors(db: Db): StreamCursor[] {
  return statements(db)
    .all.all()
    .map(({ host, wire, seq, time_us, by_clock, mark }) => ({
      host,
      wire,
      seq: seq ?? undefined,
      timeUs: time_us,
      ...(mark === null ? {} : { mark }),
      ...(by_clock ? { isByClock: true } : {}),
    }))
}

/** Time of the latest event ever stored, in microseconds; 0 before the first. */
export function latestStreamTimeUs(db: Db): number {
  return allCursors(db).reduce((latest, { timeUs }) => Math.max(latest, timeUs), 0)
}
