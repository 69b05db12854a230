// The engine's memory in a file. It is written while likes go on: first the tables, then the logs, then the
// header. So every number in a table has its like in the log, and what came meanwhile is missing as a whole.

import {
  close,
  closeSync,
  existsSync,
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

const MAGIC = 0x464f5259
/** Magic, version, length in bytes, checksum; each four bytes. */
const HEAD_BYTES = 16
/** Written at once; between two of them, likes are heard. */
const SLICE = 1 << 20

type Part = { at: number; length: number }

/** Writes all of it, in slices. @throws errors of the file system */
export async function saveSnapshot(state: State, path: string): Promise<void> {
  const beside = `${path}.new`
  const file = await promisify(open)(beside, 'w', 0o600)
  try {
    const checksum = await writeParts(state, file)
    await writeAll(file, headOf(state, checksum), 0)
    await promisify(fsync)(file)
  } finally {
    await promisify(close)(file)
  }
  await promisify(rename)(beside, path)
}

/** The sum of the parts' checksums, whatever their order. */
async function writeParts(state: State, file: number): Promise<number> {
  let checksum = 0
  for (const { at, length } of slices(state)) {
    // A copy, so that the checksum is of what is written.
    const bytes = Buffer.from(new Uint8Array(state.buffer, at, length))
    checksum = (checksum + crc32(bytes, at)) | 0
    await writeAll(file, bytes, HEAD_BYTES + at)
  }
  return checksum
}

/** Tables, then logs, then the header. */
function slices({ header, posts, users, recent, lasting, buffer }: State): Part[] {
  const parts = [posts, users, recent.entries, lasting.entries]
  const end = users.byteOffset + users.byteLength
  const minutes = { at: end, length: buffer.byteLength - end }
  const logs = parts.map(({ byteOffset, byteLength }) => ({ at: byteOffset, length: byteLength }))
  return [...logs, minutes, { at: 0, length: header.byteLength }].flatMap(inSlices)
}

function inSlices({ at, length }: Part): Part[] {
  const found: Part[] = []
  for (let from = 0; from < length; from += SLICE) {
    found.push({ at: at + from, length: Math.min(SLICE, length - from) })
  }
  return found
}

function headOf({ buffer }: State, checksum: number): Buffer {
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUInt32LE(MAGIC, 0)
  head.writeUInt32LE(VERSION, 4)
  head.writeUInt32LE(buffer.byteLength, 8)
  head.writeInt32LE(checksum, 12)
  return head
}

async function writeAll(file: number, bytes: Buffer, at: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const written = await writeSome(file, bytes, { from: done, at: at + done })
    done += written
  }
}

function writeSome(file: number, bytes: Buffer, place: { from: number; at: number }) {
  return new Promise<number>((resolve, reject) => {
    const length = bytes.length - place.from
    write(file, bytes, place.from, length, place.at, (error, written) =>
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
  const checksum = readParts(state, file)
  const isSame = sizes.every((size, field) => state.header[field] === size)
  return checksum === head.readInt32LE(12) && isSame ? undefined : DAMAGED
}

function readParts(state: State, file: number): number {
  const slice = Buffer.alloc(SLICE)
  let checksum = 0
  for (const { at, length } of slices(state)) {
    const read = readSync(file, slice, 0, length, HEAD_BYTES + at)
    const bytes = slice.subarray(0, read)
    checksum = (checksum + crc32(bytes, at)) | 0
    new Uint8Array(state.buffer, at, read).set(bytes)
  }
  return checksum
}

const DAMAGED = 'the file is damaged'
/** The first fields of the header: version and capacities. */
const SIZES = 5
