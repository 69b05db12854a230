// The pages of a database that others write: which changed, and their bytes as of one committed state. A read
// transaction is always open: it keeps SQLite from copying later frames of the log into the file, and from starting
// the log again, so the state is the file, covered by the log's frames up to the one noted. The next one begins
// before it ends, so no frame disappears unseen. The log can't be copied beyond it: call `advance` often.

import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { FILE_NAME } from '../../../data/store/db.ts'
import { logState, openCheckpointer } from '../../../data/store/files/checkpoint.ts'
import { readFramePage, readFrames, readSalt } from './log-frames.ts'

export type ChangedPages = {
  readonly pageSize: number
  /** Length of the database in pages. */
  count(): number
  /** Moves to the newest committed state and notes what changed. */
  advance(): void
  /** How many pages have changed. */
  changed(): number
  /** @returns their numbers in order; they count as unchanged from now on */
  take(): number[]
  /** Counts pages as changed again. */
  giveBack(pages: readonly number[]): void
  /** Bytes of a page from 1 as of the last `advance`; zeros beyond the end. */
  read(page: number, into: Buffer): void
  close(): void
}

type Log = { length: number; salt: string | undefined }

/** Pages that changed before do not count. */
export function openChangedPages(dataDir: string): ChangedPages {
  const path = join(dataDir, FILE_NAME)
  const looker = openCheckpointer(path)
  // One that was restored and never started has none, and without a log there is nothing to follow.
  looker.pragma('journal_mode = WAL')
  const pageSize = looker.pragma('page_size', { simple: true }) as number
  const file = openForGood(path)
  const readers = [open(path), open(path)]
  let log: number | undefined
  let salt: string | undefined
  let seen = 0
  let count = 0
  /** The last frame of each page in the log. */
  let frames = new Map<number, number>()
  const changed = new Set<number>()

  function advance(): void {
    const [current, next] = readers as [Database.Database, Database.Database]
    next.exec('BEGIN')
    count = next.pragma('page_count', { simple: true }) as number
    note(lookAtLog())
    if (current.inTransaction) current.exec('COMMIT')
    readers.reverse()
  }

  /** If the log was copied completely, it may begin again while we look. */
  function lookAtLog(): Log {
    for (;;) {
      const before = saltNow()
      const { length } = logState(looker)
      if (saltNow() === before) return { length, salt: before }
    }
  }

  function saltNow(): string | undefined {
    if (log === undefined && existsSync(`${path}-wal`)) log = openSync(`${path}-wal`, 'r')
    return log === undefined ? undefined : readSalt(log)
  }

  function note({ length, salt: found }: Log): void {
    if (length <= 0 || found === undefined) return forget()
    if (found !== salt) forget()
    salt = found
    const range = { after: seen, upTo: length, pageSize, salt }
    for (const frame of readFrames(log!, range)) {
      frames.set(frame.page, frame.frame)
      changed.add(frame.page)
      if (frame.pagesAfter > 0) count = frame.pagesAfter
    }
    seen = length
  }

  function forget(): void {
    frames = new Map()
    seen = 0
  }

  advance()
  changed.clear()
  return {
    pageSize,
    count: () => count,
    advance,
    changed: () => changed.size,
    take() {
      const pages = [...changed].filter((page) => page <= count).sort((a, b) => a - b)
      changed.clear()
      return pages
    },
    giveBack(pages) {
      for (const page of pages) changed.add(page)
    },
    read(page, into) {
      const frame = page <= count ? frames.get(page) : undefined
      if (frame !== undefined) return readFramePage(log!, frame, into)
      const at = (page - 1) * pageSize
      const length = page <= count ? readSync(file, into, 0, pageSize, at) : 0
      into.fill(0, length)
    },
    close() {
      for (const db of [...readers, looker]) db.close()
      if (log !== undefined) closeSync(log)
      log = undefined
    },
  }
}

/**
 * Never closed: closing one drops all of SQLite's locks in this process
 * (https://www.sqlite.org/howtocorrupt.html, section 2.2). A worker thread that uses this must not
 * track descriptors (`trackUnmanagedFds: false`), or its end would close it. By device and inode,
 * since a restored database is another file under the same path.
 */
const descriptors = new Map<string, number>()

function openForGood(path: string): number {
  const { dev, ino } = statSync(path)
  const file = descriptors.get(`${dev} ${ino}`) ?? openSync(path, 'r')
  descriptors.set(`${dev} ${ino}`, file)
  return file
}

function open(path: string): Database.Database {
  return new Database(path, { readonly: true, fileMustExist: true })
}
