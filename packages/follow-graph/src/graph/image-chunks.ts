// An image of memory: a stream of integers, cut into chunks that can be stored one by one. Every chunk begins
// with the same integers: a mark, the layout's version, the image's random number, its position, whether it
// is the last, and a checksum of the rest. This detects chunks that are torn, missing, out of place, or from
// another image or build, and the whole image is then rejected. Byte order is the machine's; the mark reveals
// a foreign one.

import { randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

export type ImageChunk = { bytes: Uint8Array }

/** The image cannot be trusted; the message says why. Rebuild the memory from rows instead. */
export class ImageError extends Error {
  override name = 'ImageError'
}

const MARK = 0x51_1b_57_e4
const HEAD_INTS = 7
/** Half a mebibyte: built, sealed and stored in about two milliseconds. */
const CHUNK_INTS = 1 << 17

const MARK_AT = 0
const VERSION_AT = 1
const IMAGE_AT = 2
const INDEX_AT = 3
const LAST_AT = 4
const LENGTH_AT = 5
const CHECKSUM_AT = 6

/**
 * Seals the integers from `parts` as chunks of half a mebibyte, lazily. A part is copied when it is
 * yielded, so it may be a view of memory that changes afterwards.
 */
export function* sealImage(version: number, parts: Iterable<Int32Array>): Generator<ImageChunk> {
  const image = randomInt(2 ** 31)
  let index = 0
  let sealed = new Int32Array(HEAD_INTS + CHUNK_INTS)
  let filled = HEAD_INTS
  const seal = (isLast: boolean) =>
    sealChunk({ version, image, index: index++, isLast }, sealed.subarray(0, filled))
  for (const part of parts) {
    for (let at = 0; at < part.length; ) {
      const capacity = Math.min(sealed.length - filled, part.length - at)
      sealed.set(part.subarray(at, at + capacity), filled)
      filled += capacity
      at += capacity
      if (filled < sealed.length) break
      yield seal(false)
      sealed = new Int32Array(HEAD_INTS + CHUNK_INTS)
      filled = HEAD_INTS
    }
  }
  yield seal(true)
}

type Position = { version: number; image: number; index: number; isLast: boolean }

function sealChunk({ version, image, index, isLast }: Position, sealed: Int32Array): ImageChunk {
  sealed[MARK_AT] = MARK
  sealed[VERSION_AT] = version
  sealed[IMAGE_AT] = image
  sealed[INDEX_AT] = index
  sealed[LAST_AT] = isLast ? 1 : 0
  sealed[LENGTH_AT] = sealed.length - HEAD_INTS
  sealed[CHECKSUM_AT] = checksumOf(sealed)
  return { bytes: new Uint8Array(sealed.buffer, 0, sealed.byteLength) }
}

/** Reads the integers of an image in their original order. */
export class ImageReader {
  readonly #chunks: Generator<Int32Array, void>
  #chunk: Int32Array = new Int32Array(0)
  #at = 0
  /** The array that `take` points into. */
  taken: Int32Array = this.#chunk

  constructor(version: number, chunks: Iterable<{ bytes: Uint8Array }>) {
    this.#chunks = openChunks(version, chunks)
  }

  /** The next integer. Like all methods, @throws ImageError if anything is inconsistent. */
  next(): number {
    while (this.#at === this.#chunk.length) this.#open()
    return this.#chunk[this.#at++]!
  }

  /**
   * The next `length` integers: their place in `taken`, which is valid until the next call. A view
   * would be an object for each of millions of sets.
   */
  take(length: number): number {
    if (this.#at + length <= this.#chunk.length) {
      this.taken = this.#chunk
      this.#at += length
      return this.#at - length
    }
    this.taken = new Int32Array(length)
    this.takeInto(this.taken)
    return 0
  }

  takeInto(target: Int32Array): void {
    for (let filled = 0; filled < target.length; ) {
      if (this.#at === this.#chunk.length) this.#open()
      const part = this.#chunk.subarray(this.#at, this.#at + target.length - filled)
      target.set(part, filled)
      filled += part.length
      this.#at += part.length
    }
  }

  /** Checks that nothing follows. */
  end(): void {
    if (this.#at < this.#chunk.length) throw new ImageError('the image has more than it says')
    const { done } = this.#chunks.next()
    if (!done) throw new ImageError('the image has more chunks than it says')
  }

  #open(): void {
    const { value, done } = this.#chunks.next()
    if (done) throw new ImageError('the image ends too early')
    this.#chunk = value
    this.#at = 0
  }
}

function* openChunks(
  version: number,
  chunks: Iterable<{ bytes: Uint8Array }>,
): Generator<Int32Array, void> {
  let image: number | undefined
  let index = 0
  let wasLast = false
  for (const { bytes } of chunks) {
    const sealed = alignedInts(bytes)
    image ??= sealed[IMAGE_AT]!
    const isRight =
      !wasLast &&
      sealed[MARK_AT] === MARK &&
      sealed[VERSION_AT] === version &&
      sealed[IMAGE_AT] === image &&
      sealed[INDEX_AT] === index &&
      sealed[LENGTH_AT] === sealed.length - HEAD_INTS
    if (!isRight) throw new ImageError(`chunk ${index} is of another image, build or place`)
    if (sealed[CHECKSUM_AT] !== checksumOf(sealed)) throw new ImageError(`chunk ${index} is torn`)
    index++
    wasLast = sealed[LAST_AT] === 1
    yield sealed.subarray(HEAD_INTS)
  }
  if (!wasLast) throw new ImageError('the image has no end')
}

function alignedInts(bytes: Uint8Array): Int32Array {
  if (bytes.length % 4 !== 0 || bytes.length < HEAD_INTS * 4) throw new ImageError('a chunk is cut')
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice()
  return new Int32Array(aligned.buffer, aligned.byteOffset, aligned.length / 4)
}

/** Covers everything but the checksum itself. */
function checksumOf(sealed: Int32Array): number {
  const head = Buffer.from(sealed.buffer, sealed.byteOffset, CHECKSUM_AT * 4)
  const content = Buffer.from(
    sealed.buffer,
    sealed.byteOffset + HEAD_INTS * 4,
    (sealed.length - HEAD_INTS) * 4,
  )
  return crc32(content, crc32(head)) | 0
}
