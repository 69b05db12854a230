// Snapshots of memory: a list of named byte strings, stored in pieces next to the rows they follow
// from. Part 0 is a header that says which build made it, what it covers, and each chunk's length
// and checksum; it is written last, in the same transaction. Whatever does not fit is reported as a
// SnapshotError, and memory is made from rows instead (invariant 3).

import { crc32 } from 'node:zlib'
import type { Db } from './db.ts'
import { perDatabase } from './per-database.ts'

export type SnapshotChunk = { name: string; bytes: Uint8Array }

export type Snapshot = {
  /** As passed to `writeSnapshot`. */
  covered: number
  /** Chunks in the order they were written. @throws SnapshotError where one is torn. */
  chunks: Iterable<SnapshotChunk>
}

export class SnapshotError extends Error {
  override name = 'SnapshotError'
}

type ChunkHeader = { name: string; length: number; checksum: number }
type Header = { format: number; version: string; covered: number; chunks: ChunkHeader[] }

const FORMAT = 1
const PIECE_BYTES = 8 << 20

const statements = perDatabase((db) => ({
  insert: db.prepare<[string, number, Uint8Array]>(
    'INSERT INTO snapshots (name, part, bytes) VALUES (?, ?, ?)',
  ),
  part: db
    .prepare<[string, number], Buffer>('SELECT bytes FROM snapshots WHERE name = ? AND part = ?')
    .pluck(),
  remove: db.prepare<[string]>('DELETE FROM snapshots WHERE name = ?'),
}))

/**
 * Replaces the snapshot of this name. `version` names the layout of the chunks; a build with
 * another one will drop it. `covered` says which changes are included. Call it in a transaction.
 */
export function writeSnapshot(
  db: Db,
  name: string,
  snapshot: { version: string; covered: number; chunks: Iterable<SnapshotChunk> },
): void {
  const { version, covered } = snapshot
  deleteSnapshot(db, name)
  const chunks: ChunkHeader[] = []
  let part = 1
  for (const chunk of snapshot.chunks) {
    for (const piece of piecesOf(chunk.bytes)) statements(db).insert.run(name, part++, piece)
    const { length } = chunk.bytes
    chunks.push({ name: chunk.name, length, checksum: crc32(chunk.bytes) })
  }
  const header: Header = { format: FORMAT, version, covered, chunks }
  statements(db).insert.run(name, 0, Buffer.from(JSON.stringify(header)))
}

/** @throws SnapshotError where none is there, or one of another build, or a torn one. */
export function readSnapshot(db: Db, name: string, version: string): Snapshot {
  const header = readHeader(db, name)
  if (header.format !== FORMAT || header.version !== version) {
    throw new SnapshotError(`snapshot ${name} is of another version`)
  }
  return { covered: header.covered, chunks: readChunks(db, name, header.chunks) }
}

export function deleteSnapshot(db: Db, name: string): void {
  statements(db).remove.run(name)
}

function readHeader(db: Db, name: string): Header {
  const bytes = statements(db).part.get(name, 0)
  if (!bytes) throw new SnapshotError(`there is no snapshot ${name}`)
  try {
    const header = JSON.parse(bytes.toString()) as Header
    if (Number.isInteger(header.covered) && Array.isArray(header.chunks)) return header
  } catch {
    // Not JSON: torn.
  }
  throw new SnapshotError(`the header of snapshot ${name} is torn`)
}

function* readChunks(db: Db, name: string, headers: ChunkHeader[]): Generator<SnapshotChunk> {
  let part = 1
  for (const header of headers) {
    const bytes = new Uint8Array(header.length)
    for (let at = 0; at < bytes.length; part++) {
      const piece = statements(db).part.get(name, part)
      if (!piece || piece.length === 0 || at + piece.length > bytes.length) {
        throw new SnapshotError(`part ${part} of snapshot ${name} is torn`)
      }
      bytes.set(piece, at)
      at += piece.length
    }
    if (crc32(bytes) !== header.checksum) {
      throw new SnapshotError(`chunk ${header.name} of snapshot ${name} is torn`)
    }
    yield { name: header.name, bytes }
  }
}

function* piecesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES)
}
