// A full disk for one database of a test: SQLite refuses to make the file larger, as it does where the disk has
// no more room, and everybody who writes waits as on the ingest thread.

import type { WriteDb } from '../../src/data/store/db.ts'
import { createDiskRoom, type DiskRoom } from '../../src/ingest/upkeep/disk/disk-room.ts'

export type BoundedDatabase = {
  room: DiskRoom
  /** What the log was told. */
  told: string[]
  /** Not a page more fits from now on. */
  fill(db: WriteDb): void
  /** There is room; `isSeen`: somebody looks, as the ingest thread does once a second. */
  free(db: WriteDb, options?: { isSeen: boolean }): void
}

const MANY_PAGES = 1 << 30

export function createBoundedDatabase(): BoundedDatabase {
  const told: string[] = []
  const tell = (_figures: unknown, line: string) => void told.push(line)
  const room = createDiskRoom({ error: tell, info: tell } as never)
  return {
    ...{ room, told },
    fill(db) {
      const free = db.pragma('freelist_count', { simple: true }) as number
      if (free > 0) takeFreePages(db, free)
      db.pragma('max_page_count = 1')
    },
    free(db, { isSeen } = { isSeen: true }) {
      db.pragma(`max_page_count = ${MANY_PAGES}`)
      if (isSeen) room.believeRoom()
    },
  }
}

/** New rows would be written there. */
function takeFreePages(db: WriteDb, pages: number): void {
  const size = db.pragma('page_size', { simple: true }) as number
  db.exec('CREATE TABLE IF NOT EXISTS ballast (bytes)')
  db.prepare('INSERT INTO ballast VALUES (zeroblob(?))').run(pages * size)
}
