// The literals section of a block (RFC 8878 section 3.1.1.3.1).

import { raiseDoubt } from './doubt.ts'
import { createHuffmanTable, type HuffmanTable, readHuffmanTable } from './huffman.ts'

const RAW = 0
const RLE = 1
const COMPRESSED = 2
// An unaligned load of four bytes surely holds 25 bits; two codes need 22.
const LOADED_BITS = 24

export class LiteralsReader {
  /** The block's literals, up to `length`. */
  readonly bytes: Uint8Array
  length = 0
  readonly #input: Uint8Array
  readonly #view: DataView
  readonly #own = createHuffmanTable()
  #table: HuffmanTable = this.#own

  constructor(input: Uint8Array, view: DataView, maxBytes: number) {
    this.#input = input
    this.#view = view
    this.bytes = new Uint8Array(maxBytes)
  }

  /** A frame begins with the dictionary's table. */
  start(dictionaryTable: HuffmanTable): void {
    this.#table = dictionaryTable
  }

  /** @returns where the section ends. */
  read(at: number, end: number): number {
    if (at >= end) raiseDoubt()
    const first = this.#input[at]!
    const type = first & 3
    const format = (first >> 2) & 3
    if (type === RAW || type === RLE) return this.#readPlain(type, format, at, end)
    return this.#readCompressed(type, format, at, end)
  }

  #readPlain(type: number, format: number, at: number, end: number): number {
    const word = this.#view.getUint32(at, true)
    const headerBytes = format === 3 ? 3 : format === 1 ? 2 : 1
    const size =
      format === 3
        ? (word >>> 4) & 0xfffff
        : format === 1
          ? (word >>> 4) & 0xfff
          : (word >>> 3) & 31
    const start = at + headerBytes
    const after = start + (type === RLE ? 1 : size)
    if (after > end || size > this.bytes.length) raiseDoubt()
    this.length = size
    if (type === RLE) this.bytes.fill(this.#input[start]!, 0, size)
    else for (let i = 0; i < size; i++) this.bytes[i] = this.#input[start + i]!
    return after
  }

  #readCompressed(type: number, format: number, at: number, end: number): number {
    const sizeBits = format < 2 ? 10 : format === 2 ? 14 : 18
    const headerBytes = format < 2 ? 3 : format + 2
    const mask = (1 << sizeBits) - 1
    const size = (this.#view.getUint32(at, true) >>> 4) & mask
    const sizesBits = 4 + sizeBits
    const packed = (this.#view.getUint32(at + (sizesBits >> 3), true) >>> (sizesBits & 7)) & mask
    let start = at + headerBytes
    const after = start + packed
    if (after > end || size > this.bytes.length || size === 0) raiseDoubt()
    if (type === COMPRESSED) {
      this.#table = this.#own
      start = readHuffmanTable(this.#own, this.#input, this.#view, start, after)
    }
    if (this.#table.bits === 0) raiseDoubt()
    if (format === 0) this.#readStream(start, after, 0, size)
    else this.#readFourStreams(start, after, size)
    this.length = size
    return after
  }

  #readFourStreams(at: number, end: number, size: number): void {
    if (at + 6 > end || size < 6) raiseDoubt()
    const part = (size + 3) >> 2
    let start = at + 6
    for (let i = 0; i < 4; i++) {
      const stop = i === 3 ? end : start + this.#view.getUint16(at + 2 * i, true)
      if (stop > end) raiseDoubt()
      this.#readStream(start, stop, i * part, i === 3 ? size : (i + 1) * part)
      start = stop
    }
  }

  /**
   * Decodes one backward bit stream to the literals from `from` up to `to`; it must be used up to
   * the last bit.
   */
  #readStream(start: number, end: number, from: number, to: number): void {
    const view = this.#view
    const { bytes } = this
    const { cells, bits } = this.#table
    if (end <= start || to < from) raiseDoubt()
    const last = this.#input[end - 1]!
    if (last === 0) raiseDoubt()
    const mask = (1 << bits) - 1
    let bit = (end - start - 1) * 8 + 31 - Math.clz32(last)
    let out = from
    for (const pairsEnd = to - 1; out < pairsEnd; out += 2) {
      const at = bit - LOADED_BITS
      const word = view.getUint32(start + (at >> 3), true) >>> (at & 7)
      const first = cells[(word >>> (LOADED_BITS - bits)) & mask]!
      const width = first >> 8
      const second = cells[(word >>> (LOADED_BITS - bits - width)) & mask]!
      bytes[out] = first
      bytes[out + 1] = second
      bit -= width + (second >> 8)
    }
    if (out < to) {
      const at = bit - bits
      const cell = cells[(view.getUint32(start + (at >> 3), true) >>> (at & 7)) & mask]!
      bytes[out] = cell
      bit -= cell >> 8
    }
    if (bit !== 0) raiseDoubt()
  }
}
