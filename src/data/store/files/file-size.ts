// How much of the database file is in use, and how large it may become. Deleted rows leave free pages, which
// new rows reuse: the file does not shrink, but stops growing.

import type { Db, WriteDb } from '../db.ts'
import { perDatabase } from '../per-database.ts'

const statements = perDatabase((db) => ({
  pageSize: db.prepare<[], number>('PRAGMA page_size').pluck(),
  pages: db.prepare<[], number>('PRAGMA page_count').pluck(),
  free: db.prepare<[], number>('PRAGMA freelist_count').pluck(),
  probe: db.prepare<[number]>(
    "INSERT OR REPLACE INTO meta (key, value) VALUES ('disk.probe', zeroblob(?))",
  ),
  endProbe: db.prepare("DELETE FROM meta WHERE key = 'disk.probe'"),
}))

/** In bytes; `live` excludes free pages. */
export function fileSize(db: Db): { file: number; live: number } {
  const { pageSize, pages, free } = statements(db)
  const size = pageSize.get()!
  const count = pages.get()!
  return { file: count * size, live: (count - free.get()!) * size }
}

/** Writes beyond this size fail with SQLITE_FULL; applies to this connection. */
export function limitFileSize(db: Db, bytes: number): void {
  const pages = Math.floor(bytes / statements(db).pageSize.get()!)
  db.pragma(`max_page_count = ${Math.max(pages, 1)}`)
}

/**
 * Writes that many bytes, to be removed again.
 * @throws the SQLite error if they do not fit
 */
export function beginProbe(db: WriteDb, bytes: number): void {
  statements(db).probe.run(bytes)
}

export function endProbe(db: WriteDb): void {
  statements(db).endProbe.run()
}
