// How far the archive of a host was read: written in the transaction of the events it brought.

import type { Db, WriteDb } from '../../../data/store/db.ts'
import { perDatabase } from '../../../data/store/per-database.ts'

export type ArchiveProgress = {
  /** Origin of the stream, for example wss://jetstream.us-east.bsky.network. */
  host: string
  /** Everything up to it is applied. */
  seq: number
  /** Time of the latest event, in microseconds; 0 before the first. */
  timeUs: number
  /** The end of the archive when last asked. */
  tipSeq: number
  events: number
  bytes: number
  /** Unreadable blocks; each is in a gap. */
  lostBlocks: number
  /** Day number since 1970, UTC; `dayBytes` were received on that day. */
  day: number
  dayBytes: number
  /** Milliseconds since 1970. */
  startedAt: number
  /** undefined: the stream has not taken over yet. */
  finishedAt: number | undefined
}

type Row = Omit<ArchiveProgress, 'finishedAt'> & { finishedAt: number | null }

const COLUMNS = `host, seq, time_us AS timeUs, tip_seq AS tipSeq, events, bytes,
  lost_blocks AS lostBlocks, day, day_bytes AS dayBytes, started_at AS startedAt,
  finished_at AS finishedAt`

const statements = perDatabase((db) => ({
  find: db.prepare<[string], Row>(`SELECT ${COLUMNS} FROM archives WHERE host = ?`),
  all: db.prepare<[], Row>(`SELECT ${COLUMNS} FROM archives ORDER BY started_at`),
  put: db.prepare<[Row]>(
    `INSERT OR REPLACE INTO archives VALUES (@host, @seq, @timeUs, @tipSeq, @events, @bytes,
      @lostBlocks, @day, @dayBytes, @startedAt, @finishedAt)`,
  ),
}))

export function findArchive(db: Db, host: string): ArchiveProgress | undefined {
  const row = statements(db).find.get(host)
  return row && toProgress(row)
}

/** All hosts, the one begun first at the front. */
export function allArchives(db: Db): ArchiveProgress[] {
  return statements(db).all.all().map(toProgress)
}

export function putArchive(db: WriteDb, progress: ArchiveProgress): void {
  statements(db).put.run({ ...progress, finishedAt: progress.finishedAt ?? null })
}

function toProgress(row: Row): ArchiveProgress {
  return { ...row, finishedAt: row.finishedAt ?? undefined }
}
