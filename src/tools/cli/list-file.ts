// Reads a list that may be compressed (gzip or zstd, recognised by its first bytes), and tracks the position
// in the file.

import { createReadStream, fstatSync, openSync, readSync } from 'node:fs'
import { Readable } from 'node:stream'
import { createGunzip, createZstdDecompress } from 'node:zlib'
import { explainAccess } from '../../base/util/file-access.ts'
import { CliError } from '../fail.ts'

export type ListFile = {
  /** Size of the file on disk; 0 for a pipe. */
  readonly bytes: number
  readonly bytesRead: number
  /** Decompressed. */
  pieces: AsyncIterable<Buffer>
}

const PIECE_BYTES = 1 << 20
const HEAD_BYTES = 4
const A_LIST =
  'A list is a text file with did,did or did,did,rkey on each line, plain, .gz or .zst.'
const GZIP = Buffer.from([0x1f, 0x8b])
const ZSTD = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])

/**
 * @param from - a path, or an open file such as standard input (0).
 * @throws CliError if it can't be read.
 */
export function openList(from: string | number): ListFile {
  const { fd, bytes, head } = lookAt(from)
  const file = createReadStream('', { fd, highWaterMark: PIECE_BYTES })
  const packed = Readable.from(following(head, file))
  const unpack = unpackerFor(head)
  const pieces = unpack ? packed.on('error', (error) => unpack.destroy(error)).pipe(unpack) : packed
  return {
    bytes,
    get bytesRead() {
      return head.length + file.bytesRead
    },
    pieces: explained(from, pieces),
  }
}

async function* following(head: Buffer, file: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  if (head.length > 0) yield head
  yield* file
}

function lookAt(from: string | number): { fd: number; bytes: number; head: Buffer } {
  try {
    const fd = typeof from === 'number' ? from : openSync(from, 'r')
    const head = Buffer.alloc(HEAD_BYTES)
    return { fd, bytes: fstatSync(fd).size, head: head.subarray(0, readSync(fd, head)) }
  } catch (error) {
    throw unreadable(from, error as Error)
  }
}

function unpackerFor(head: Buffer) {
  const options = { chunkSize: PIECE_BYTES }
  if (head.subarray(0, 2).equals(GZIP)) return createGunzip(options)
  if (head.equals(ZSTD)) return createZstdDecompress(options)
  return undefined
}

async function* explained(
  from: string | number,
  pieces: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  try {
    yield* pieces
  } catch (error) {
    throw unreadable(from, error as Error)
  }
}

function unreadable(from: string | number, error: Error): CliError {
  const name = typeof from === 'number' ? 'Standard input' : from
  const { message, hint } = explainAccess(name, 'read', error, A_LIST)
  return new CliError(message, hint)
}
