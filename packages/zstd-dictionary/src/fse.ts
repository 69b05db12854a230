// Finite state entropy tables (RFC 8878 section 4.1).
//
// A decoding table is one Int32Array of cells packed as symbol | bits << 8 | base << 16: the next
// state is base plus that many bits of the stream.

import { raiseDoubt } from './doubt.ts'

export type FseTable = {
  cells: Int32Array
  /** 2^log cells of the table are in use. */
  log: number
}

export function createFseTable(maxLog: number): FseTable {
  return { cells: new Int32Array(1 << maxLog), log: 0 }
}

/** The last probabilities read: one shared buffer, since a table is built right after. */
const counts = new Int16Array(256)
const nextStates = new Uint16Array(256)

type Distribution = { symbols: number; log: number; end: number }

const distribution: Distribution = { symbols: 0, log: 0, end: 0 }

/**
 * Reads a distribution into the shared buffer, from `at` and not beyond `end`.
 * @returns the same object every time: the number of symbols, the table's log, and where it ends.
 */
export function readDistribution(
  view: DataView,
  at: number,
  end: number,
  max: { log: number; symbols: number },
): Distribution {
  const log = (view.getUint8(at) & 15) + 5
  if (log > max.log) raiseDoubt()
  let bit = 4
  let remaining = 1 << log
  let symbol = 0
  while (remaining > 0) {
    if (symbol >= max.symbols) raiseDoubt()
    const width = 32 - Math.clz32(remaining + 1)
    let value = (view.getUint32(at + (bit >> 3), true) >>> (bit & 7)) & ((1 << width) - 1)
    const lowMask = (1 << (width - 1)) - 1
    const threshold = (1 << width) - 2 - remaining
    if ((value & lowMask) < threshold) {
      value &= lowMask
      bit += width - 1
    } else {
      if (value > lowMask) value -= threshold
      bit += width
    }
    const count = value - 1
    remaining -= count < 0 ? 1 : count
    counts[symbol++] = count
    if (at + (bit >> 3) > end) raiseDoubt()
    if (count !== 0) continue
    let repeats = 3
    while (repeats === 3) {
      repeats = (view.getUint16(at + (bit >> 3), true) >>> (bit & 7)) & 3
      bit += 2
      if (symbol + repeats > max.symbols || at + (bit >> 3) > end) raiseDoubt()
      for (let i = 0; i < repeats; i++) counts[symbol++] = 0
    }
  }
  distribution.end = at + ((bit + 7) >> 3)
  if (remaining !== 0 || distribution.end > end) raiseDoubt()
  distribution.symbols = symbol
  distribution.log = log
  return distribution
}

/** Builds `table` from the distribution read last. */
export function buildFseTable(table: FseTable, { symbols, log }: Distribution): void {
  const { cells } = table
  const size = 1 << log
  const mask = size - 1
  table.log = log
  let high = size
  for (let symbol = 0; symbol < symbols; symbol++) {
    const count = counts[symbol]!
    if (count === -1) cells[--high] = symbol
    nextStates[symbol] = count === -1 ? 1 : count
  }
  const step = (size >> 1) + (size >> 3) + 3
  let position = 0
  for (let symbol = 0; symbol < symbols; symbol++) {
    const count = counts[symbol]!
    for (let i = 0; i < count; i++) {
      cells[position] = symbol
      do position = (position + step) & mask
      while (position >= high)
    }
  }
  if (position !== 0) raiseDoubt()
  for (let state = 0; state < size; state++) {
    const symbol = cells[state]!
    const next = nextStates[symbol]!
    nextStates[symbol] = next + 1
    const bits = log - (31 - Math.clz32(next))
    cells[state] = symbol | (bits << 8) | (((next << bits) - size) << 16)
  }
}

/** A table that always gives `symbol` and reads nothing. */
export function buildSingleSymbolTable(table: FseTable, symbol: number): void {
  table.log = 0
  table.cells[0] = symbol
}

export function tableOf(probabilities: readonly number[], log: number): FseTable {
  const table = createFseTable(log)
  counts.set(probabilities)
  buildFseTable(table, { symbols: probabilities.length, log, end: 0 })
  return table
}
