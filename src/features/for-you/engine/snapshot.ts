// The engine's memory in a file. It is written while likes go on: first the tables, then the logs, then the
// header. So every number in a table has its like in the log, and what came meanwhile is missing as a whole.
// Blocks of zeros, most of a young memory, are neither written nor touched when it is read again.

import {
  close,
  closeSync,
  existsSync,
  fstatSync,
  fsync,
  open,
  openSync,
  readSync,
  rename,
  rmSync,
  write,
} from 'node:fs'
import { promisify } from 'node:util'
import { crc32 } from 'node:zlib'
import { createState, openState, type State, VERSION } from './layout.ts'

const MAGIC = 0x464f5932
/** Magic, version, bytes of the memory, checksum, number of runs; each four bytes. */
const HEAD_BYTES = 20
/** Where a run belongs in the memory and its bytes; each four bytes. */
const RUN_BYTES = 8
/** Copied at once; between two of them, likes are heard. */
const SLICE = 1 << 20
/** What holds nothing but zeros is left out by so many bytes. */
const BLOCK = 4096
const ZEROS = Buffer.alloc(BLOCK)

/** A piece of the memory. Bytes. */
type Run = { at: number; length: number }

/** Writes all of it, in slices. @throws errors of the file system */
export async function saveSnapshot(state: State, path: string): Promise<void> {
  const beside = `${path}.new`
  const file = await promisify(open)(beside, 'w', 0o600)
  try {
    const written = await writeRuns(state, file)
    await writeAll(file, tableOf(written.runs), written.end)
    await writeAll(file, headOf(state, written), 0)
    await promisify(fsync)(file)
  } finally {
    await promisify(close)(file)
  }
  await promisify(rename)(beside, path)
}

type Written = { runs: Run[]; end: number; checksum: number }

/** The checksum is the sum of the runs', whatever their order. */
async function writeRuns(state: State, file: number): Promise<Written> {
  const written: Written = { runs: [], end: HEAD_BYTES, checksum: 0 }
  for (const { at, length } of slices(state)) {
    const slice = Buffer.from(state.buffer, at, length)
    for (const run of runsOf(slice)) {
      // A copy, so that the checksum is of what is written.
      const bytes = Buffer.from(slice.subarray(run.at, run.at + run.length))
      written.checksum = (written.checksum + crc32(bytes, at + run.at)) | 0
      await writeAll(file, bytes, written.end)
      written.runs.push({ at: at + run.at, length: run.length })
      written.end += run.length
    }
  }
  return written
}

/** Tables, then logs, then the header. */
function slices({ header, posts, users, recent, lasting, buffer }: State): Run[] {
  const parts = [posts, users, recent.entries, lasting.entries]
  const end = users.byteOffset + users.byteLength
  const minutes = { at: end, length: buffer.byteLength - end }
  const logs = parts.map(({ byteOffset, byteLength }) => ({ at: byteOffset, length: byteLength }))
  return [...logs, minutes, { at: 0, length: header.byteLength }].flatMap(inSlices)
}

function inSlices({ at, length }: Run): Run[] {
  const found: Run[] = []
  for (let from = 0; from < length; from += SLICE) {
    found.push({ at: at + from, length: Math.min(SLICE, length - from) })
  }
  return found
}

/** The stretches of a slice that hold something: most of a young memory is zeros. */
function runsOf(slice: Buffer): Run[] {
  const runs: Run[] = []
  for (let at = 0; at < slice.length; at += BLOCK) {
    const length = Math.min(BLOCK, slice.length - at)
    if (slice.compare(ZEROS, 0, length, at, at + length) === 0) continue
    const before = runs.at(-1)
    if (before && before.at + before.length === at) before.length += length
    else runs.push({ at, length })
  }
  return runs
}

function tableOf(runs: Run[]): Buffer {
  const table = Buffer.alloc(runs.length * RUN_BYTES)
  runs.forEach(({ at, length }, index) => {
    table.writeUInt32LE(at, index * RUN_BYTES)
    table.writeUInt32LE(length, index * RUN_BYTES + 4)
  })
  return table
}

function headOf({ buffer }: State, { runs, checksum }: Written): Buffer {
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUInt32LE(MAGIC, 0)
  head.writeUInt32LE(VERSION, 4)
  head.writeUInt32LE(buffer.byteLength, 8)
  head.writeInt32LE(checksum, 12)
  head.writeUInt32LE(runs.length, 16)
  return head
}

async function writeAll(file: number, bytes: Buffer, at: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const written = await writeSome(file, bytes, { from: done, at: at + done })
    done += written
  }
}

function writeSome(file: number, bytes: Buffer, range: { from: number; at: number }) {
  return new Promise<number>((resolve, reject) => {
    const length = bytes.length - range.from
    write(file, bytes, range.from, length, range.at, (error, written) =>
      error ? reject(error) : resolve(written),
    )
  })
}

type Loaded = { state: State; problem: string | undefined }

/**
 * The state of a snapshot, or an empty one with the reason: other settings, another version, a
 * damaged file. @param bytes - the budget
 */
export function loadSnapshot(path: string, bytes: number, salt: number): Loaded {
  const state = createState(bytes, salt)
  rmSync(`${path}.new`, { force: true })
  if (!existsSync(path)) return { state, problem: undefined }
  const file = openSync(path, 'r')
  const problem = readInto(state, file)
  closeSync(file)
  return problem === undefined
    ? { state: openState(state.buffer), problem }
    : { state: createState(bytes, salt), problem }
}

function readInto(state: State, file: number): string | undefined {
  const { buffer } = state
  const head = Buffer.alloc(HEAD_BYTES)
  if (readSync(file, head, 0, HEAD_BYTES, 0) < HEAD_BYTES) return DAMAGED
  if (head.readUInt32LE(0) !== MAGIC) return DAMAGED
  if (head.readUInt32LE(4) !== VERSION) return 'it is of another version'
  if (head.readUInt32LE(8) !== buffer.byteLength) return 'it is of another size'
  const sizes = state.header.slice(0, SIZES)
  const runs = readTable(file, head.readUInt32LE(16), buffer.byteLength)
  if (!runs) return DAMAGED
  const checksum = readRuns(state, file, runs)
  const isSame = sizes.every((size, field) => state.header[field] === size)
  return checksum === head.readInt32LE(12) && isSame ? undefined : DAMAGED
}

/** The runs in their order in the file; none if they can't be those of such a memory. */
function readTable(file: number, count: number, memoryBytes: number): Run[] | undefined {
  const bytes = count * RUN_BYTES
  const at = fstatSync(file).size - bytes
  if (at < HEAD_BYTES || count > memoryBytes / BLOCK + SECTIONS) return undefined
  const table = Buffer.alloc(bytes)
  if (readSync(file, table, 0, bytes, at) < bytes) return undefined
  const runs = Array.from({ length: count }, (_, index) => ({
    at: table.readUInt32LE(index * RUN_BYTES),
    length: table.readUInt32LE(index * RUN_BYTES + 4),
  }))
  const held = runs.reduce((sum, { length }) => sum + length, 0)
  const fit = runs.every((run) => run.length <= SLICE && run.at + run.length <= memoryBytes)
  return fit && HEAD_BYTES + held === at ? runs : undefined
}

function readRuns(state: State, file: number, runs: Run[]): number {
  const slice = Buffer.alloc(SLICE)
  let checksum = 0
  let from = HEAD_BYTES
  for (const { at, length } of runs) {
    const bytes = slice.subarray(0, readSync(file, slice, 0, length, from))
    checksum = (checksum + crc32(bytes, at)) | 0
    new Uint8Array(state.buffer, at, bytes.length).set(bytes)
    from += length
  }
  return checksum
}

const DAMAGED = 'the file is damaged'
/** The first fields of the header: version and capacities. */
const SIZES = 5
/** Each may end in a block of its own. */
const SECTIONS = 6
