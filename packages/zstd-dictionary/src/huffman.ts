// Huffman tables of the literals section (RFC 8878 section 4.2).
//
// A decoding table is one Uint16Array of cells packed as symbol | bits << 8, indexed by as many bits as the
// longest code has.

import { raiseDoubt } from './doubt.ts'
import { buildFseTable, createFseTable, type FseTable, readDistribution } from './fse.ts'

const MAX_BITS = 11
const MAX_WEIGHT_LOG = 6
const MAX_WEIGHTS = 255

export type HuffmanTable = {
  cells: Uint16Array
  /** 0: no table yet. */
  bits: number
}

export function createHuffmanTable(): HuffmanTable {
  return { cells: new Uint16Array(1 << MAX_BITS), bits: 0 }
}

const weights = new Uint8Array(MAX_WEIGHTS + 1)
const ranks = new Uint32Array(MAX_BITS + 2)
const weightTable = createFseTable(MAX_WEIGHT_LOG)
const weightLimits = { log: MAX_WEIGHT_LOG, symbols: MAX_BITS + 2 }

/** Reads a tree description at `at` into `table`. @returns where it ends. */
export function readHuffmanTable(
  table: HuffmanTable,
  bytes: Uint8Array,
  view: DataView,
  at: number,
  end: number,
): number {
  const header = bytes[at]!
  if (header >= 128) {
    const count = header - 127
    const after = at + 1 + ((count + 1) >> 1)
    if (after > end) raiseDoubt()
    for (let i = 0; i < count; i++) {
      const pair = bytes[at + 1 + (i >> 1)]!
      weights[i] = (i & 1) === 0 ? pair >> 4 : pair & 15
    }
    buildHuffmanTable(table, count)
    return after
  }
  const after = at + 1 + header
  if (header < 2 || after > end) raiseDoubt()
  const distribution = readDistribution(view, at + 1, after, weightLimits)
  const start = distribution.end
  buildFseTable(weightTable, distribution)
  buildHuffmanTable(table, readWeights(weightTable, view, start, after))
  return after
}

/** Two states alternate until the stream runs out. @returns the number of weights. */
function readWeights(table: FseTable, view: DataView, start: number, end: number): number {
  const { cells, log } = table
  if (end <= start) raiseDoubt()
  const last = view.getUint8(end - 1)
  if (last === 0) raiseDoubt()
  const mask = (1 << log) - 1
  let bit = (end - start - 1) * 8 + 31 - Math.clz32(last) - 2 * log
  if (bit < 0) raiseDoubt()
  const both = view.getUint32(start + (bit >> 3), true) >>> (bit & 7)
  let state = (both >>> log) & mask
  let other = both & mask
  let count = 0
  for (;;) {
    const cell = cells[state]!
    weights[count++] = cell & 255
    const width = (cell >> 8) & 255
    bit -= width
    if (bit < 0) break
    const read = view.getUint16(start + (bit >> 3), true) >>> (bit & 7)
    state = other
    other = (cell >>> 16) + (read & ((1 << width) - 1))
    if (count >= MAX_WEIGHTS - 1) raiseDoubt()
  }
  weights[count++] = cells[other]! & 255
  return count
}

/** The last symbol's weight is not stored: it completes the code to a power of two. */
function buildHuffmanTable(table: HuffmanTable, count: number): void {
  ranks.fill(0)
  let sum = 0
  for (let i = 0; i < count; i++) {
    const weight = weights[i]!
    if (weight > MAX_BITS) raiseDoubt()
    ranks[weight]!++
    sum += (1 << weight) >> 1
  }
  if (sum === 0) raiseDoubt()
  const bits = 32 - Math.clz32(sum)
  const rest = (1 << bits) - sum
  if (bits > MAX_BITS || (rest & (rest - 1)) !== 0) raiseDoubt()
  const lastWeight = 32 - Math.clz32(rest)
  weights[count] = lastWeight
  ranks[lastWeight]!++
  // The longest codes come in pairs.
  if (ranks[1]! < 2 || (ranks[1]! & 1) !== 0) raiseDoubt()
  table.bits = bits
  fillHuffmanCells(table.cells, count + 1, bits)
}

/** Cells in code order: longer codes first, within one length by symbol. */
function fillHuffmanCells(cells: Uint16Array, symbols: number, bits: number): void {
  let start = 0
  for (let weight = 1; weight <= bits; weight++) {
    const length = ranks[weight]! << (weight - 1)
    ranks[weight] = start
    start += length
  }
  for (let symbol = 0; symbol < symbols; symbol++) {
    const weight = weights[symbol]!
    if (weight === 0) continue
    const from = ranks[weight]!
    const to = from + (1 << (weight - 1))
    const cell = symbol | ((bits + 1 - weight) << 8)
    for (let i = from; i < to; i++) cells[i] = cell
    ranks[weight] = to
  }
}
