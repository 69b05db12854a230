// Snapshots of memory: a list of named byte strings, stored in pieces next to the rows they derive from. The
// header (part 0) names the build that wrote it, the changes it covers, its pieces, and each chunk's length
// and checksum. Any mismatch is reported as a SnapshotError, and memory is rebuilt from rows instead
// (invariant 3).

import { randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Db, WriteDb } from './db.ts'
import { perDatabase } from './per-database.ts'

export type SnapshotChunk = { name: string; bytes: Uint8Array }

type Snapshot = {
  /** As passed to `finish`. */
  covered: number
  /**
   * Chunks in the order they were written.
   * @throws SnapshotError if one is torn
   */
  chunks: Iterable<SnapshotChunk>
}

/**
 * The pieces of a new snapshot are stored one by one, in any number of transactions, under their
 * own name; the header, written last, replaces the old pieces at once. Pieces that no header names
 * are left over from the previous snapshot or an unfinished one, and are removed little by little.
 */
export type SnapshotWriter = {
  add(chunk: SnapshotChunk): void
  /** Makes this the snapshot of its name. `covered` says which changes are included. */
  finish(covered: number): void
}

export class SnapshotError extends Error {
  override name = 'SnapshotError'
}

type ChunkHeader = { name: string; length: number; checksum: number }
type Header = {
  format: number
  version: string
  covered: number
  pieces: string
  chunks: ChunkHeader[]
}

const FORMAT = 2
const PIECE_BYTES = 8 << 20

const statements = perDatabase((db) => ({
  insert: db.prepare<[string, number, Uint8Array]>(
    'INSERT OR REPLACE INTO snapshots (name, part, bytes) VALUES (?, ?, ?)',
  ),
  part: db
    .prepare<[string, number], Buffer>('SELECT bytes FROM snapshots WHERE name = ? AND part = ?')
    .pluck(),
  remove: db.prepare<[string, number]>('DELETE FROM snapshots WHERE name = ? AND part = ?'),
  removeAll: db.prepare<[string, string, string]>(
    'DELETE FROM snapshots WHERE name = ? OR (name > ? AND name < ?)',
  ),
  leftovers: db.prepare<[string, string, string, number], { name: string; part: number }>(
    'SELECT name, part FROM snapshots WHERE name > ? AND name < ? AND name <> ? LIMIT ?',
  ),
}))

/**
 * Begins a new snapshot of this name; the previous one stays until `finish`. `version` names the
 * layout of the chunks; a build with another layout drops the snapshot.
 */
export function beginSnapshot(db: WriteDb, name: string, version: string): SnapshotWriter {
  const pieces = `${name}#${randomInt(2 ** 47)}`
  const chunks: ChunkHeader[] = []
  let part = 1
  return {
    add(chunk) {
      for (const piece of piecesOf(chunk.bytes)) statements(db).insert.run(pieces, part++, piece)
      const { length } = chunk.bytes
      chunks.push({ name: chunk.name, length, checksum: crc32(chunk.bytes) })
    },
    finish(covered) {
      const header: Header = { format: FORMAT, version, covered, pieces, chunks }
      statements(db).insert.run(name, 0, Buffer.from(JSON.stringify(header)))
    },
  }
}

/**
 * Removes up to `limit` pieces that belong to no snapshot. Not to be called while one is being
 * written.
 * @returns how many were removed
 */
export function removeLeftovers(db: WriteDb, name: string, limit: number): number {
  const current = hasHeader(db, name) ? readHeader(db, name).pieces : ''
  const { leftovers, remove } = statements(db)
  const found = leftovers.all(...rangeOf(name), current, limit)
  for (const piece of found) remove.run(piece.name, piece.part)
  return found.length
}

/** @throws SnapshotError if there is none, or it is from another build, or torn */
export function readSnapshot(db: Db, name: string, version: string): Snapshot {
  const header = readHeader(db, name)
  if (header.format !== FORMAT || header.version !== version) {
    throw new SnapshotError(`snapshot ${name} is of another version`)
  }
  return { covered: header.covered, chunks: readChunks(db, header) }
}

export function deleteSnapshot(db: WriteDb, name: string): void {
  statements(db).removeAll.run(name, ...rangeOf(name))
}

/** The names of all pieces are between these two. */
function rangeOf(name: string): [string, string] {
  return [`${name}#`, `${name}$`]
}

function hasHeader(db: Db, name: string): boolean {
  return statements(db).part.get(name, 0) !== undefined
}

function readHeader(db: Db, name: string): Header {
  const bytes = statements(db).part.get(name, 0)
  if (!bytes) throw new SnapshotError(`there is no snapshot ${name}`)
  try {
    const header = JSON.parse(bytes.toString()) as Header
    if (Number.isInteger(header.covered) && Array.isArray(header.chunks)) return header
  } catch {
    // Torn: not JSON.
  }
  throw new SnapshotError(`the header of snapshot ${name} is torn`)
}

function* readChunks(db: Db, { pieces, chunks }: Header): Generator<SnapshotChunk> {
  let part = 1
  for (const { name, length, checksum } of chunks) {
    const count = Math.ceil(length / PIECE_BYTES)
    const read: Uint8Array[] = []
    for (let i = 0; i < count; i++) read.push(readPiece(db, pieces, part++))
    const bytes = read.length === 1 ? read[0]! : Buffer.concat(read)
    if (bytes.length !== length || crc32(bytes) !== checksum) {
      throw new SnapshotError(`chunk ${name} of snapshot ${pieces} is torn`)
    }
    yield { name, bytes }
  }
}

function readPiece(db: Db, pieces: string, part: number): Uint8Array {
  const piece = statements(db).part.get(pieces, part)
  if (!piece) throw new SnapshotError(`part ${part} of snapshot ${pieces} is missing`)
  return piece
}

function* piecesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES)
}
