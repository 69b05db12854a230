// The header of the sequences section (RFC 8878 section 3.1.1.3.2): the number of sequences, and the three
// tables that decode them, each predefined, repeated, of one symbol, or written out.

import { raiseDoubt } from './doubt.ts'
import {
  buildFseTable,
  buildSingleSymbolTable,
  createFseTable,
  type FseTable,
  readDistribution,
} from './fse.ts'
import {
  defaultLiterals,
  defaultMatches,
  defaultOffsets,
  LITERAL_CODES,
  MATCH_CODES,
  MAX_LITERALS_LOG,
  MAX_MATCHES_LOG,
  MAX_OFFSETS_LOG,
  OFFSET_CODES,
} from './sequence-codes.ts'

const PREDEFINED = 0
const SINGLE = 1
const WRITTEN = 2

type Kind = { log: number; symbols: number; predefined: FseTable }

const LITERALS: Kind = {
  log: MAX_LITERALS_LOG,
  symbols: LITERAL_CODES,
  predefined: defaultLiterals,
}
const OFFSETS: Kind = { log: MAX_OFFSETS_LOG, symbols: OFFSET_CODES, predefined: defaultOffsets }
const MATCHES: Kind = { log: MAX_MATCHES_LOG, symbols: MATCH_CODES, predefined: defaultMatches }

export class SequenceTables {
  count = 0
  literals: FseTable = defaultLiterals
  offsets: FseTable = defaultOffsets
  matches: FseTable = defaultMatches
  readonly #ownLiterals = createFseTable(MAX_LITERALS_LOG)
  readonly #ownOffsets = createFseTable(MAX_OFFSETS_LOG)
  readonly #ownMatches = createFseTable(MAX_MATCHES_LOG)
  readonly #input: Uint8Array
  readonly #view: DataView
  #at = 0
  #end = 0

  constructor(input: Uint8Array, view: DataView) {
    this.#input = input
    this.#view = view
  }

  /** A frame begins with the dictionary's tables. */
  start(literals: FseTable, offsets: FseTable, matches: FseTable): void {
    this.literals = literals
    this.offsets = offsets
    this.matches = matches
  }

  /** @returns where the bit stream of the sequences starts. */
  read(at: number, end: number): number {
    const start = this.#readCount(at, end)
    if (this.count === 0) return start
    if (start >= end) raiseDoubt()
    const modes = this.#input[start]!
    if ((modes & 3) !== 0) raiseDoubt()
    this.#at = start + 1
    this.#end = end
    this.literals = this.#table(modes >> 6, LITERALS, this.literals, this.#ownLiterals)
    this.offsets = this.#table((modes >> 4) & 3, OFFSETS, this.offsets, this.#ownOffsets)
    this.matches = this.#table((modes >> 2) & 3, MATCHES, this.matches, this.#ownMatches)
    return this.#at
  }

  #readCount(at: number, end: number): number {
    if (at >= end) raiseDoubt()
    const first = this.#input[at]!
    if (first < 128) {
      this.count = first
      return at + 1
    }
    const isLong = first === 255
    if (at + (isLong ? 3 : 2) > end) raiseDoubt()
    const second = this.#input[at + 1]!
    this.count = isLong
      ? second + (this.#input[at + 2]! << 8) + 0x7f00
      : ((first - 128) << 8) + second
    return at + (isLong ? 3 : 2)
  }

  #table(mode: number, kind: Kind, before: FseTable, own: FseTable): FseTable {
    if (mode === PREDEFINED) return kind.predefined
    if (mode === SINGLE) {
      const symbol = this.#input[this.#at++]!
      if (this.#at > this.#end || symbol >= kind.symbols) raiseDoubt()
      buildSingleSymbolTable(own, symbol)
      return own
    }
    if (mode !== WRITTEN) return before
    const distribution = readDistribution(this.#view, this.#at, this.#end, kind)
    this.#at = distribution.end
    buildFseTable(own, distribution)
    return own
  }
}
