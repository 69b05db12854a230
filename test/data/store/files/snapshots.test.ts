// Snapshots are read back byte for byte, or not at all; what their chunks hold is checked by graph-image.test.ts.

import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openWriter, type WriteDb } from '../../../../src/data/store/db.ts'
import { PRIVATE_UMASK } from '../../../../src/data/store/files/data-folder.ts'
import {
  beginSnapshot,
  deleteSnapshot,
  readSnapshot,
  removeLeftovers,
  type SnapshotChunk,
  SnapshotError,
} from '../../../../src/data/store/files/snapshots.ts'
import { createRandom, type Random } from '../../../support/random.ts'
import { snapshotFiles } from '../../../support/snapshot-files.ts'

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
  return [0, 1, 70_000, 524_316].map((length) => ({ bytes: randomBytes(random, length) }))
}

function randomBytes(random: Random, length: number): Uint8Array {
  return Uint8Array.from({ length }, () => random.below(256))
}

function save(chunks: SnapshotChunk[], name = 'graph'): void {
  const writer = beginSnapshot(db, name, 'one')
  for (const chunk of chunks) writer.add(chunk)
  writer.finish(42)
}

/** Copies, since each chunk is valid until the next. */
const load = () =>
  Array.from(readSnapshot(db, 'graph', 'one').chunks, ({ bytes }) => ({ bytes: bytes.slice() }))

it('are read back as written, with what they cover', () => {
  const chunks = randomChunks()
  save([{ bytes: new Uint8Array(100_000) }])
  save(chunks)
  expect(readSnapshot(db, 'graph', 'one').covered).toBe(42)
  const loaded = load()
  expect(loaded).toHaveLength(chunks.length)
  for (const [i, { bytes }] of loaded.entries()) {
    expect(Buffer.compare(bytes, chunks[i]!.bytes)).toBe(0)
  }
})

it('are refused if missing or of another version', () => {
  expect(load).toThrow(SnapshotError)
  save(randomChunks())
  expect(() => readSnapshot(db, 'graph', 'two')).toThrow(SnapshotError)
  expect(() => readSnapshot(db, 'other', 'one')).toThrow(SnapshotError)
  deleteSnapshot(db, 'graph')
  expect(load).toThrow(SnapshotError)
})

it('can be read by no other user', () => {
  const mask = process.umask(PRIVATE_UMASK)
  save(randomChunks())
  process.umask(mask)
  expect(statSync(snapshotFiles(dataDir)[0]!).mode & 0o077).toBe(0)
})

it('leave files behind, which are removed, but no one else’s', async () => {
  const others = ['slipstream.graph-12.txt', 'my.graph-12.snapshot', 'slipstream.graph-.snapshot']
  for (const file of others) writeFileSync(join(dataDir, file), '')
  save(randomChunks())
  save(randomChunks())
  save(randomChunks(), 'actors')
  beginSnapshot(db, 'graph', 'one').add({ bytes: new Uint8Array(9) })
  expect(snapshotFiles(dataDir)).toHaveLength(4)
  removeLeftovers(db)
  await expect.poll(() => snapshotFiles(dataDir)).toHaveLength(2)
  expect(readdirSync(dataDir)).toEqual(expect.arrayContaining(others))
  expect(load()).toHaveLength(4)
})

const setHeader = (header: string) => () =>
  db.prepare('UPDATE snapshots SET header = ?').run(header)
const changeHeader = (change: (header: Record<string, unknown>) => void) => () => {
  const sql = db.prepare<[], string>('SELECT header FROM snapshots').pluck()
  const header = JSON.parse(sql.get()!)
  change(header)
  setHeader(JSON.stringify(header))()
}

it.each([
  ['a shorter file', (file: string) => truncateSync(file, statSync(file).size - 1)],
  ['a longer file', (file: string) => appendFileSync(file, '.')],
  ['an empty file', (file: string) => truncateSync(file, 0)],
  ['no file', (file: string) => rmSync(file)],
  ['no header', () => db.exec('DELETE FROM snapshots')],
  ['half a header', setHeader('{"format":3,"version":"one"')],
  ['another header', setHeader('{}')],
  ['a header without lengths', changeHeader((header) => delete header['lengths'])],
  ['a header of another kind', setHeader('null')],
  ['the name of a file elsewhere', changeHeader((header) => (header['file'] = '../other'))],
  [
    'the name of another file',
    changeHeader((header) => (header['file'] = 'slipstream.a-1.snapshot')),
  ],
])('are refused with %s', (_name, damage) => {
  save(randomChunks())
  damage(snapshotFiles(dataDir)[0]!)
  expect(load).toThrow(SnapshotError)
})
