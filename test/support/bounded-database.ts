// A full disk for one database of a test: SQLite refuses to grow the file, as it does on a full disk, and all
// writers wait as on the ingest thread.

import type { WriteDb } from '../../src/data/store/db.ts'
import { createDiskSpace, type DiskSpace } from '../../src/ingest/upkeep/disk/disk-space.ts'

export type BoundedDatabase = {
  diskSpace: DiskSpace
  /** Lines written to the log. */
  messages: string[]
  /** Lets not a single further page fit. */
  fill(db: WriteDb): void
  /**
   * Makes room again; `isSeen`: the room is noticed, as by the ingest thread's check each second.
   */
  free(db: WriteDb, options?: { isSeen: boolean }): void
}

const MANY_PAGES = 1 << 30

export function createBoundedDatabase(): BoundedDatabase {
  const messages: string[] = []
  const tell = (_figures: unknown, line: string) => void messages.push(line)
  const diskSpace = createDiskSpace({ error: tell, info: tell } as never)
  return {
    diskSpace,
    messages,
    fill(db) {
      const free = db.pragma('freelist_count', { simple: true }) as number
      if (free > 0) takeFreePages(db, free)
      db.pragma('max_page_count = 1')
    },
    free(db, { isSeen } = { isSeen: true }) {
      db.pragma(`max_page_count = ${MANY_PAGES}`)
      if (isSeen) diskSpace.believeSpace()
    },
  }
}

/** Uses up the free pages, which would take new rows. */
function takeFreePages(db: WriteDb, pages: number): void {
  const size = db.pragma('page_size', { simple: true }) as number
  db.exec('CREATE TABLE IF NOT EXISTS ballast (bytes)')
  db.prepare('INSERT INTO ballast VALUES (zeroblob(?))').run(pages * size)
}
