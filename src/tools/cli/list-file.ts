// Reads a list that may be compressed (gzip or zstd, recognised by its first bytes), and tracks the position
// in the file.

import { closeSync, createReadStream, openSync, readSync, statSync } from 'node:fs'
import { createGunzip, createZstdDecompress } from 'node:zlib'
import { CliError } from './fail.ts'

export type ListFile = {
  /** Size of the file on disk. */
  readonly bytes: number
  readonly bytesRead: number
  /** Decompressed. */
  pieces: AsyncIterable<Buffer>
}

const PIECE_BYTES = 1 << 20
const GZIP = Buffer.from([0x1f, 0x8b])
const ZSTD = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])

/** @throws CliError if it can't be read. */
export function openList(path: string): ListFile {
  const { bytes, head } = lookAt(path)
  const file = createReadStream(path, { highWaterMark: PIECE_BYTES })
  const unpack = unpackerFor(head)
  const pieces = unpack ? file.on('error', (error) => unpack.destroy(error)).pipe(unpack) : file
  return {
    bytes,
    get bytesRead() {
      return file.bytesRead
    },
    pieces: explained(path, pieces),
  }
}

function lookAt(path: string): { bytes: number; head: Buffer } {
  try {
    const head = Buffer.alloc(4)
    const file = openSync(path, 'r')
    readSync(file, head)
    closeSync(file)
    return { bytes: statSync(path).size, head }
  } catch (error) {
    throw unreadable(path, error as Error)
  }
}

function unpackerFor(head: Buffer) {
  const options = { chunkSize: PIECE_BYTES }
  if (head.subarray(0, 2).equals(GZIP)) return createGunzip(options)
  if (head.equals(ZSTD)) return createZstdDecompress(options)
  return undefined
}

async function* explained(path: string, pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* pieces
  } catch (error) {
    throw unreadable(path, error as Error)
  }
}

function unreadable(path: string, { message }: Error): CliError {
  return new CliError(
    `${path} cannot be read: ${message}.`,
    'A list is a text file with did,did or did,did,rkey on each line, plain, .gz or .zst.',
  )
}
