// Snapshots of memory: chunks of bytes in a file beside the database. SQLite reads a large value four
// kilobytes at a time, half of a load. A row, the header, names the file, the build that wrote it,
// the changes it covers and its chunks' lengths. Chunks carry their own checksums (image-chunks.ts). Whatever
// is missing or does not fit is a SnapshotError, and memory is rebuilt from rows instead (invariant 3).

import { randomInt } from 'node:crypto'
import {
  appendFileSync,
  closeSync,
  fstatSync,
  openSync,
  readdirSync,
  readSync,
  unlink,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { Db, WriteDb } from '../db.ts'
import { perDatabase } from '../per-database.ts'

export type SnapshotChunk = { bytes: Uint8Array }

type Snapshot = {
  /** As passed to `finish`. */
  covered: number
  /**
   * Chunks in the order they were written; each is valid until the next. Whoever leaves some of
   * them unread must call `return`.
   * @throws SnapshotError if the file is missing, or not as long as it should be
   */
  chunks: Generator<SnapshotChunk, void>
}

/**
 * The chunks of a new snapshot are appended to its own file, in any number of transactions; the
 * header, written last, replaces the previous one at once. Files that no header names are left over
 * from the previous snapshot or an unfinished one, until `removeLeftovers`.
 */
export type SnapshotWriter = {
  /** @throws Error with the system's code, such as ENOSPC */
  add(chunk: SnapshotChunk): void
  /** Makes this the snapshot of its name. `covered` says which changes are included. */
  finish(covered: number): void
}

export class SnapshotError extends Error {
  override name = 'SnapshotError'
}

type Header = {
  format: number
  version: string
  covered: number
  /** Name of the file, in the database's folder. */
  file: string
  /** Bytes of each chunk, in order. */
  lengths: number[]
}

const FORMAT = 3
const FILE = /^slipstream\.[a-z]+-[0-9]+\.snapshot$/

const statements = perDatabase((db) => ({
  put: db.prepare<[string, string]>(
    'INSERT OR REPLACE INTO snapshots (name, header) VALUES (?, ?)',
  ),
  header: db.prepare<[string], string>('SELECT header FROM snapshots WHERE name = ?').pluck(),
  headers: db.prepare<[], string>('SELECT header FROM snapshots').pluck(),
  remove: db.prepare<[string]>('DELETE FROM snapshots WHERE name = ?'),
}))

/**
 * Begins a new snapshot of this name; the previous one stays until `finish`. `version` names the
 * layout of the chunks; a build with another layout drops the snapshot.
 *
 * Nothing waits until the file is on the disk: after a power failure it may be torn, as its
 * checksums show.
 */
export function beginSnapshot(db: WriteDb, name: string, version: string): SnapshotWriter {
  const file = `slipstream.${name}-${randomInt(2 ** 47)}.snapshot`
  const path = join(dirname(db.name), file)
  const lengths: number[] = []
  return {
    add({ bytes }) {
      appendFileSync(path, bytes)
      lengths.push(bytes.length)
    },
    finish(covered) {
      const header: Header = { format: FORMAT, version, covered, file, lengths }
      statements(db).put.run(name, JSON.stringify(header))
    },
  }
}

/**
 * Removes the files that belong to no snapshot. Not to be called while one is being written, nor
 * before the header of a new one is committed. What can't be removed is tried again next time.
 */
export function removeLeftovers(db: Db): void {
  const folder = dirname(db.name)
  const current = statements(db).headers.all().join()
  for (const file of readdirSync(folder)) {
    if (FILE.test(file) && !current.includes(file)) unlink(join(folder, file), () => undefined)
  }
}

/** @throws SnapshotError if there is none, or it is from another build */
export function readSnapshot(db: Db, name: string, version: string): Snapshot {
  const header = readHeader(db, name)
  if (header.format !== FORMAT || header.version !== version) {
    throw new SnapshotError(`snapshot ${name} is of another version`)
  }
  return { covered: header.covered, chunks: readChunks(dirname(db.name), header) }
}

export function deleteSnapshot(db: WriteDb, name: string): void {
  statements(db).remove.run(name)
}

function readHeader(db: Db, name: string): Header {
  const text = statements(db).header.get(name)
  if (text === undefined) throw new SnapshotError(`there is no snapshot ${name}`)
  try {
    const header = JSON.parse(text) as Header
    const { covered, file, lengths } = header
    if (Number.isInteger(covered) && FILE.test(file) && Array.isArray(lengths)) return header
  } catch {
    // Torn: not JSON.
  }
  throw new SnapshotError(`the header of snapshot ${name} is torn`)
}

/** One buffer takes one chunk after another: new memory for each would cost more than reading it. */
function* readChunks(folder: string, header: Header): Generator<SnapshotChunk, void> {
  const { file, lengths } = header
  const fd = open(join(folder, file))
  try {
    const size = lengths.reduce((sum, length) => sum + length, 0)
    if (fstatSync(fd).size !== size) throw new SnapshotError(`${file} has not its length`)
    const buffer = new Uint8Array(lengths.reduce((most, value) => Math.max(most, value), 0))
    for (const length of lengths) yield { bytes: read(fd, buffer.subarray(0, length)) }
  } finally {
    closeSync(fd)
  }
}

function open(path: string): number {
  try {
    return openSync(path, 'r')
  } catch (cause) {
    throw new SnapshotError(`${path} can't be opened`, { cause })
  }
}

/** Fills `bytes` with what comes next. */
function read(fd: number, bytes: Uint8Array): Uint8Array {
  try {
    if (readSync(fd, bytes) === bytes.length) return bytes
  } catch (cause) {
    throw new SnapshotError("the snapshot's file can't be read", { cause })
  }
  throw new SnapshotError("the snapshot's file ends too early")
}
