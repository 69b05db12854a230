// What the streams received in bytes, by UTC day (migrations/062-stream-bytes.ts), and what that makes of a
// day and a month ahead.

import { DAY_MS } from '../../../base/util/durations.ts'
import type { Db, WriteDb } from '../db.ts'
import { perDatabase } from '../per-database.ts'

/** `kind`: a collection or kind of event; empty for what the sockets received. */
type StreamBytesKey = { host: string; wire: string; use: string; kind: string }
type StreamBytesSums = { frames: number; received: number; plain: number; seconds: number }
export type StreamBytesRow = StreamBytesKey & StreamBytesSums

/** All figures in bytes; a month is 30 days. */
export type StreamBytesFacts = {
  today: number
  /** Since the first of the calendar month, UTC. */
  thisMonth: number
  /** At the pace of the last seven days; undefined until the server has run for ten minutes. */
  dayAhead: number | undefined
  monthAhead: number | undefined
  /** The last seven days. */
  sources: { host: string; wire: string; use: string; bytes: number }[]
  collections: { kind: string; frames: number; received: number; plain: number }[]
}

const RETAINED_DAYS = 62
const PACE_DAYS = 7
const MONTH_DAYS = 30
const LEAST_SECONDS = 600
const DAY_SECONDS = DAY_MS / 1000

const statements = perDatabase((db) => ({
  add: db.prepare<[StreamBytesRow & { day: number }]>(
    `INSERT INTO stream_bytes (day, host, wire, use, kind, frames, received, plain, seconds)
      VALUES (@day, @host, @wire, @use, @kind, @frames, @received, @plain, @seconds)
      ON CONFLICT DO UPDATE SET frames = frames + excluded.frames,
        received = received + excluded.received, plain = plain + excluded.plain,
        seconds = seconds + excluded.seconds`,
  ),
  prune: db.prepare<[number]>('DELETE FROM stream_bytes WHERE day < ?'),
  received: db
    .prepare<[number], number>(
      "SELECT coalesce(sum(received), 0) FROM stream_bytes WHERE day >= ? AND kind = ''",
    )
    .pluck(),
  pace: db.prepare<[number], { bytes: number; seconds: number }>(
    `SELECT coalesce(sum(received), 0) AS bytes, coalesce(sum(seconds), 0) AS seconds
      FROM stream_bytes WHERE day >= ? AND kind = ''`,
  ),
  sources: db.prepare<[number], StreamBytesFacts['sources'][number]>(
    `SELECT host, wire, use, sum(received) AS bytes FROM stream_bytes
      WHERE day >= ? AND kind = '' GROUP BY host, wire, use ORDER BY bytes DESC`,
  ),
  collections: db.prepare<[number], StreamBytesFacts['collections'][number]>(
    `SELECT kind, sum(frames) AS frames, sum(received) AS received, sum(plain) AS plain
      FROM stream_bytes WHERE day >= ? AND kind != '' GROUP BY kind ORDER BY received DESC`,
  ),
}))

/** Adds to the day of `at` (milliseconds since 1970), and deletes days older than two months. */
export function addStreamBytes(db: WriteDb, at: number, rows: readonly StreamBytesRow[]): void {
  const day = dayOf(at)
  for (const row of rows) statements(db).add.run({ ...row, day })
  statements(db).prune.run(day - RETAINED_DAYS)
}

export function streamBytes(db: Db, now: number): StreamBytesFacts {
  const { received, sources, collections } = statements(db)
  const today = dayOf(now)
  const from = today - PACE_DAYS + 1
  const date = new Date(now)
  const first = dayOf(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1))
  const dayAhead = paceOf(db, from)
  return {
    today: received.get(today)!,
    thisMonth: received.get(first)!,
    dayAhead,
    monthAhead: dayAhead === undefined ? undefined : dayAhead * MONTH_DAYS,
    sources: sources.all(from),
    collections: collections.all(from),
  }
}

/** Bytes a day while the server runs. */
function paceOf(db: Db, from: number): number | undefined {
  const { bytes, seconds } = statements(db).pace.get(from)!
  return seconds < LEAST_SECONDS ? undefined : Math.round((bytes / seconds) * DAY_SECONDS)
}

function dayOf(at: number): number {
  return Math.floor(at / DAY_MS)
}
