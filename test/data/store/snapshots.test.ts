// Snapshots are read back byte for byte, or not at all.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openWriter, type WriteDb } from '../../../src/data/store/db.ts'
import {
  beginSnapshot,
  deleteSnapshot,
  readSnapshot,
  removeLeftovers,
  type SnapshotChunk,
  SnapshotError,
} from '../../../src/data/store/snapshots.ts'
import { createRandom, type Random } from '../../support/random.ts'

let db: WriteDb
let dataDir: string

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'slipstream-snapshots-'))
  db = openWriter(dataDir)
})
afterEach(() => {
  db.close()
  rmSync(dataDir, { recursive: true, force: true })
})

function randomChunks(): SnapshotChunk[] {
  const random = createRandom(5)
  // One is empty, one needs a single piece, the others several.
  return [0, 1, 70_000, 20_000_001].map((length, i) => ({
    name: `chunk ${i}`,
    bytes: randomBytes(random, length),
  }))
}

/** Sparse random words, where not every byte needs to be random. */
function randomBytes(random: Random, length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  for (let i = 0; i < length; i += 1 + (i >> 8)) bytes[i] = random.below(256)
  return bytes
}

function save(chunks: SnapshotChunk[]): void {
  const writer = beginSnapshot(db, 'graph', 'one')
  for (const chunk of chunks) writer.add(chunk)
  writer.finish(42)
  removeLeftovers(db, 'graph', Number.MAX_SAFE_INTEGER)
}

const load = () => [...readSnapshot(db, 'graph', 'one').chunks]

it('are read back as written, with what they cover', () => {
  const chunks = randomChunks()
  save([{ name: 'older', bytes: new Uint8Array(10_000_000) }])
  save(chunks)
  expect(readSnapshot(db, 'graph', 'one').covered).toBe(42)
  for (const [i, chunk] of load().entries()) {
    expect(chunk.name).toBe(chunks[i]!.name)
    expect(Buffer.compare(chunk.bytes, chunks[i]!.bytes)).toBe(0)
  }
  expect(load()).toHaveLength(chunks.length)
})

it('are refused if missing or of another version', () => {
  expect(load).toThrow(SnapshotError)
  save(randomChunks())
  expect(() => readSnapshot(db, 'graph', 'two')).toThrow(SnapshotError)
  expect(() => readSnapshot(db, 'other', 'one')).toThrow(SnapshotError)
  deleteSnapshot(db, 'graph')
  expect(load).toThrow(SnapshotError)
})

it.each([
  ['a flipped bit', 'UPDATE snapshots SET bytes = zeroblob(length(bytes)) WHERE part = 2'],
  ['a missing part', 'DELETE FROM snapshots WHERE part = 3'],
  ['a missing last part', 'DELETE FROM snapshots WHERE part = (SELECT max(part) FROM snapshots)'],
  ['a missing header', 'DELETE FROM snapshots WHERE part = 0'],
  ['a torn header', 'UPDATE snapshots SET bytes = substr(bytes, 1, 20) WHERE part = 0'],
  ['a longer part', 'UPDATE snapshots SET bytes = zeroblob(length(bytes) + 1) WHERE part = 1'],
])('are refused with %s', (_name, damage) => {
  save(randomChunks())
  db.exec(damage)
  expect(load).toThrow(SnapshotError)
})
