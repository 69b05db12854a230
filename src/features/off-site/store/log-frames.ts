// Reads SQLite's write-ahead log: which pages its frames hold, and where. Only committed frames are looked at,
// whose number comes from SQLite itself. https://www.sqlite.org/fileformat2.html#the_write_ahead_log

import { readSync } from 'node:fs'

const HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
const SALT_AT = 16
const SALT_BYTES = 8
const PAGE_COUNT_AT = 4
const FRAME_SALT_AT = 8

/**
 * Changes whenever the log begins again from its start.
 * @returns undefined if the log is empty
 */
export function readSalt(log: number): string | undefined {
  const header = Buffer.alloc(HEADER_BYTES)
  if (readSync(log, header, 0, HEADER_BYTES, 0) < HEADER_BYTES) return undefined
  return saltIn(header, SALT_AT)
}

function saltIn(header: Buffer, at: number): string {
  return header.toString('hex', at, at + SALT_BYTES)
}

/** Frames are counted from 1, as SQLite does. */
type Frame = {
  frame: number
  page: number
  /** Length of the database in pages after the transaction, in its last frame; else 0. */
  pagesAfter: number
}

/** @throws Error if the log is shorter, or was begun again meanwhile */
export function* readFrames(
  log: number,
  range: { after: number; upTo: number; pageSize: number; salt: string },
): Generator<Frame> {
  const header = Buffer.alloc(FRAME_HEADER_BYTES)
  for (let frame = range.after + 1; frame <= range.upTo; frame++) {
    const at = frameAt(frame, range.pageSize)
    if (readSync(log, header, 0, FRAME_HEADER_BYTES, at) < FRAME_HEADER_BYTES) throw tooShort(frame)
    if (saltIn(header, FRAME_SALT_AT) !== range.salt)
      throw new Error(`frame ${frame} of the log is stale`)
    const pagesAfter = header.readUInt32BE(PAGE_COUNT_AT)
    yield { frame, page: header.readUInt32BE(0), pagesAfter }
  }
}

/** @throws Error if the log is shorter */
export function readFramePage(log: number, frame: number, into: Buffer): void {
  const at = frameAt(frame, into.length) + FRAME_HEADER_BYTES
  if (readSync(log, into, 0, into.length, at) < into.length) throw tooShort(frame)
}

function frameAt(frame: number, pageSize: number): number {
  return HEADER_BYTES + (frame - 1) * (FRAME_HEADER_BYTES + pageSize)
}

function tooShort(frame: number): Error {
  return new Error(`the database’s log ends before its frame ${frame}`)
}
