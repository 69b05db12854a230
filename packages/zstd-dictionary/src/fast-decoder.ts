// Our decoder: single frames compressed with a dictionary that is digested once. Every copy is checked
// against both ends; a bit stream must be used up to the last bit; the checksum must match. Anything unusual
// (no checksum, another dictionary, several frames, large output) or invalid raises doubt and goes to the
// trusted decoder. Format: RFC 8878.

import { viewFrom } from './bytes.ts'
import type { Dictionary } from './dictionary.ts'
import { type DigestedDictionary, digestDictionary } from './digested-dictionary.ts'
import { raiseDoubt } from './doubt.ts'
import { readFrameHeader } from './frame-header.ts'
import { LiteralsReader } from './literals.ts'
import { literalsBase, literalsExtra, matchesBase, matchesExtra } from './sequence-codes.ts'
import { SequenceTables } from './sequence-tables.ts'
import { createHashedMemory, type HashedMemory } from './xxh64.ts'

const MAX_BLOCK_BYTES = 128 * 1024
const MAX_OUTPUT_BYTES = 256 * 1024
// Incompressible content, and some overhead.
const MAX_INPUT_BYTES = MAX_OUTPUT_BYTES + 1024
/** Servers use 128 KiB; libzstd has its own limit, and this decoder must not accept more. */
const MAX_WINDOW_BYTES = 8 * 1024 * 1024
const PADDING_BYTES = 16
const CHECKSUM_BYTES = 4
const RAW_BLOCK = 0
const RLE_BLOCK = 1
const COMPRESSED_BLOCK = 2

/**
 * Input is copied to a padded scratch buffer, so that bit streams, which are read backwards, can be
 * loaded four bytes at a time without checking the edges. Output is written right behind the
 * dictionary's content, so that a match may start in either without a branch.
 */
export class FastDecoder {
  readonly #dictionary: DigestedDictionary
  readonly #input: Uint8Array<ArrayBuffer>
  readonly #view: DataView
  readonly #memory: HashedMemory
  readonly #output: Uint8Array<ArrayBuffer>
  readonly #content: Uint8Array
  /** Where output starts: behind the dictionary's content. */
  readonly #base: number
  readonly #limit: number
  readonly #literals: LiteralsReader
  readonly #tables: SequenceTables
  #repeat1 = 0
  #repeat2 = 0
  #repeat3 = 0

  constructor(dictionary: Dictionary, maxOutputBytes: number = MAX_OUTPUT_BYTES) {
    const capacity = Math.min(maxOutputBytes, MAX_OUTPUT_BYTES)
    this.#dictionary = digestDictionary(dictionary)
    const { content } = this.#dictionary
    this.#input = new Uint8Array(MAX_INPUT_BYTES + 2 * PADDING_BYTES)
    this.#view = new DataView(this.#input.buffer)
    this.#memory = createHashedMemory(content.length + capacity)
    this.#output = this.#memory.bytes
    this.#output.set(content)
    this.#base = content.length
    this.#limit = content.length + capacity
    this.#content = viewFrom(this.#output.buffer, this.#base)
    this.#literals = new LiteralsReader(this.#input, this.#view, MAX_BLOCK_BYTES)
    this.#tables = new SequenceTables(this.#input, this.#view)
  }

  /**
   * @returns the content, valid until the next call.
   * @throws DoubtError or RangeError if the trusted decoder must be asked.
   */
  decompress(frame: Uint8Array): Uint8Array {
    const header = readFrameHeader(frame)
    if (!header?.hasChecksum || header.dictionaryId !== this.#dictionary.id) raiseDoubt()
    if (frame.length > MAX_INPUT_BYTES || header.windowSize > MAX_WINDOW_BYTES) raiseDoubt()
    this.#input.set(frame, PADDING_BYTES)
    this.#startFrame()
    const maxBlock = Math.min(MAX_BLOCK_BYTES, header.windowSize)
    const end = PADDING_BYTES + frame.length - CHECKSUM_BYTES
    let at = PADDING_BYTES + header.end
    let out = this.#base
    for (let isLast = false; !isLast; ) {
      if (at + 3 > end) raiseDoubt()
      const block = this.#view.getUint32(at, true) & 0xffffff
      const type = (block >> 1) & 3
      const size = block >> 3
      isLast = (block & 1) === 1
      at += 3
      const after = at + (type === RLE_BLOCK ? 1 : size)
      if (size > maxBlock || after > end) raiseDoubt()
      const blockLimit = Math.min(this.#limit, out + maxBlock)
      if (type === COMPRESSED_BLOCK) out = this.#decodeBlock(at, after, out, blockLimit)
      else out = this.#copyBlock(type, at, size, out, blockLimit)
      at = after
    }
    const length = out - this.#base
    if (at !== end || (header.contentSize ?? length) !== length) raiseDoubt()
    if (this.#memory.hash(this.#base, length) !== this.#view.getInt32(end, true)) raiseDoubt()
    return this.#content.subarray(0, length)
  }

  #startFrame(): void {
    const { huffman, literals, offsets, matches, repeats } = this.#dictionary
    this.#literals.start(huffman)
    this.#tables.start(literals, offsets, matches)
    this.#repeat1 = repeats[0]
    this.#repeat2 = repeats[1]
    this.#repeat3 = repeats[2]
  }

  #copyBlock(type: number, at: number, size: number, out: number, limit: number): number {
    const end = out + size
    if (end > limit) raiseDoubt()
    if (type === RAW_BLOCK) this.#output.set(this.#input.subarray(at, at + size), out)
    else if (type === RLE_BLOCK) this.#output.fill(this.#input[at]!, out, end)
    else raiseDoubt()
    return end
  }

  #decodeBlock(at: number, end: number, out: number, limit: number): number {
    const afterLiterals = this.#literals.read(at, end)
    const tables = this.#tables
    const start = tables.read(afterLiterals, end)
    if (tables.count === 0) {
      if (start !== end) raiseDoubt()
      return this.#copyLiterals(0, out, limit)
    }
    return this.#runSequences(start, end, out, limit)
  }

  /** Copies the rest of the block's literals after the first `used`. */
  #copyLiterals(used: number, out: number, limit: number): number {
    const { bytes, length } = this.#literals
    const end = out + length - used
    if (end > limit) raiseDoubt()
    for (let i = used, to = out; i < length; i++) this.#output[to++] = bytes[i]!
    return end
  }

  /** Each sequence is a run of literals, then a match. */
  #runSequences(start: number, end: number, at: number, limit: number): number {
    const view = this.#view
    const output = this.#output
    const literals = this.#literals.bytes
    const literalsLength = this.#literals.length
    const { count, literals: llTable, offsets: ofTable, matches: mlTable } = this.#tables
    const llCells = llTable.cells
    const ofCells = ofTable.cells
    const mlCells = mlTable.cells
    const last = this.#input[end - 1]!
    if (last === 0 || end <= start) raiseDoubt()
    let bit = (end - start - 1) * 8 + 31 - Math.clz32(last)
    bit -= llTable.log
    let ll = llCells[peek(view, start, bit, llTable.log)]!
    bit -= ofTable.log
    let of = ofCells[peek(view, start, bit, ofTable.log)]!
    bit -= mlTable.log
    let ml = mlCells[peek(view, start, bit, mlTable.log)]!
    let out = at
    let used = 0
    for (let left = count; ; left--) {
      const ofCode = of & 255
      const llCode = ll & 255
      const mlCode = ml & 255
      if (ofCode > 24) raiseDoubt()
      bit -= ofCode
      const offsetValue = (1 << ofCode) + peek(view, start, bit, ofCode)
      const mlBits = matchesExtra[mlCode]!
      bit -= mlBits
      const match = matchesBase[mlCode]! + peek(view, start, bit, mlBits)
      const llBits = literalsExtra[llCode]!
      bit -= llBits
      const run = literalsBase[llCode]! + peek(view, start, bit, llBits)
      if (bit < 0 || used + run > literalsLength || out + run + match > limit) raiseDoubt()
      const offset = this.#resolveOffset(offsetValue, run)
      for (const stop = used + run; used < stop; ) output[out++] = literals[used++]!
      let from = out - offset
      if (from < 0) raiseDoubt()
      if (match > 40 && offset >= match) {
        output.copyWithin(out, from, from + match)
        out += match
      } else for (const stop = out + match; out < stop; ) output[out++] = output[from++]!
      if (left === 1) break
      const llWidth = (ll >> 8) & 255
      bit -= llWidth
      ll = llCells[(ll >>> 16) + peek(view, start, bit, llWidth)]!
      const mlWidth = (ml >> 8) & 255
      bit -= mlWidth
      ml = mlCells[(ml >>> 16) + peek(view, start, bit, mlWidth)]!
      const ofWidth = (of >> 8) & 255
      bit -= ofWidth
      of = ofCells[(of >>> 16) + peek(view, start, bit, ofWidth)]!
    }
    if (bit !== 0) raiseDoubt()
    return this.#copyLiterals(used, out, limit)
  }

  /** Values up to 3 refer to one of the last three offsets (RFC 8878 section 3.1.1.5). */
  #resolveOffset(value: number, run: number): number {
    if (value > 3) {
      this.#repeat3 = this.#repeat2
      this.#repeat2 = this.#repeat1
      this.#repeat1 = value - 3
      return this.#repeat1
    }
    const index = run === 0 ? value : value - 1
    if (index === 0) return this.#repeat1
    let offset = this.#repeat2
    if (index === 2) offset = this.#repeat3
    else if (index === 3) offset = this.#repeat1 - 1
    if (offset === 0) raiseDoubt()
    if (index !== 1) this.#repeat3 = this.#repeat2
    this.#repeat2 = this.#repeat1
    this.#repeat1 = offset
    return offset
  }
}

/** `width` bits, at most 25, of the stream that starts at `start`, from bit `bit` up. */
function peek(view: DataView, start: number, bit: number, width: number): number {
  return (view.getUint32(start + (bit >> 3), true) >>> (bit & 7)) & ((1 << width) - 1)
}
