// An image of integer arrays, cut into chunks that can be stored one by one.
//
// Every chunk begins with the same few integers: a mark, the layout's version, the image's random
// number, its place in the image, and a checksum of what follows. The first chunk's content says how
// long each array is. So a chunk that is torn, missing, out of its place, or from another image or
// another build is found out, and with it the whole image is refused. Byte order is the machine's;
// the mark tells a foreign one.

import { randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

export type ImageChunk = { name: string; bytes: Uint8Array }

/** The image can't be trusted; the message says why. Make memory from rows instead. */
export class ImageError extends Error {
  override name = 'ImageError'
}

const MARK = 0x51_1b_57_e4
const HEAD_INTS = 6
const CHUNK_INTS = 1 << 20

const MARK_AT = 0
const VERSION_AT = 1
const IMAGE_AT = 2
const INDEX_AT = 3
const LENGTH_AT = 4
const CHECKSUM_AT = 5

/** Copies the arrays out, at most 4 MiB at a time, while it is walked. */
export function* sealImage(version: number, arrays: Int32Array[]): Generator<ImageChunk> {
  const image = randomInt(2 ** 31)
  const lengths = Int32Array.from(arrays, (array) => array.length)
  let index = 0
  for (const array of [lengths, ...arrays]) {
    for (let at = 0; at < array.length; at += CHUNK_INTS) {
      const content = array.subarray(at, at + CHUNK_INTS)
      yield sealChunk({ version, image, index: index++ }, content)
    }
  }
}

type Place = { version: number; image: number; index: number }

function sealChunk({ version, image, index }: Place, content: Int32Array): ImageChunk {
  const sealed = new Int32Array(HEAD_INTS + content.length)
  sealed.set(content, HEAD_INTS)
  sealed[MARK_AT] = MARK
  sealed[VERSION_AT] = version
  sealed[IMAGE_AT] = image
  sealed[INDEX_AT] = index
  sealed[LENGTH_AT] = content.length
  sealed[CHECKSUM_AT] = checksumOf(sealed)
  return { name: `${index}`, bytes: new Uint8Array(sealed.buffer) }
}

/**
 * Walks the chunks once. `receive` is asked for the arrays when their lengths are known, and throws
 * an ImageError where they can't be right.
 * @throws ImageError where anything does not fit; what was received is then worthless.
 */
export function openImage(
  version: number,
  chunks: Iterable<{ bytes: Uint8Array }>,
  receive: (lengths: Int32Array) => Int32Array[],
): void {
  const opened = openChunks(version, chunks)
  const lengths = opened.next()
  if (lengths.done) throw new ImageError('the image is empty')
  for (const array of receive(lengths.value)) {
    for (let at = 0; at < array.length; ) {
      const next = opened.next()
      if (next.done) throw new ImageError('the image ends too early')
      if (at + next.value.length > array.length) throw new ImageError('a chunk is too long')
      array.set(next.value, at)
      at += next.value.length
    }
  }
  if (!opened.next().done) throw new ImageError('the image has more chunks than it says')
}

function* openChunks(
  version: number,
  chunks: Iterable<{ bytes: Uint8Array }>,
): Generator<Int32Array, void> {
  let image: number | undefined
  let index = 0
  for (const { bytes } of chunks) {
    const sealed = alignedInts(bytes)
    image ??= sealed[IMAGE_AT]!
    const isRight =
      sealed[MARK_AT] === MARK &&
      sealed[VERSION_AT] === version &&
      sealed[IMAGE_AT] === image &&
      sealed[INDEX_AT] === index &&
      sealed[LENGTH_AT] === sealed.length - HEAD_INTS &&
      sealed[LENGTH_AT] > 0
    if (!isRight) throw new ImageError(`chunk ${index} is of another image, build or place`)
    if (sealed[CHECKSUM_AT] !== checksumOf(sealed)) throw new ImageError(`chunk ${index} is torn`)
    index++
    yield sealed.subarray(HEAD_INTS)
  }
}

function alignedInts(bytes: Uint8Array): Int32Array {
  if (bytes.length % 4 !== 0 || bytes.length < HEAD_INTS * 4) throw new ImageError('a chunk is cut')
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice()
  return new Int32Array(aligned.buffer, aligned.byteOffset, aligned.length / 4)
}

/** Of everything but the checksum itself. */
function checksumOf(sealed: Int32Array): number {
  const head = Buffer.from(sealed.buffer, sealed.byteOffset, CHECKSUM_AT * 4)
  const content = Buffer.from(
    sealed.buffer,
    sealed.byteOffset + HEAD_INTS * 4,
    (sealed.length - HEAD_INTS) * 4,
  )
  return crc32(content, crc32(head)) | 0
}
