// A dictionary prepared for decoding: its tables built once, its content ready for use. Layout (RFC 8878
// section 5): Huffman table, then FSE tables for offsets, match lengths and literals lengths, three repeat
// offsets, and the content.

import { BadDictionaryError, type Dictionary } from './dictionary.ts'
import { buildFseTable, createFseTable, type FseTable, readDistribution } from './fse.ts'
import { createHuffmanTable, type HuffmanTable, readHuffmanTable } from './huffman.ts'
import {
  LITERAL_CODES,
  MATCH_CODES,
  MAX_LITERALS_LOG,
  MAX_MATCHES_LOG,
  MAX_OFFSETS_LOG,
  OFFSET_CODES,
} from './sequence-codes.ts'

const HEADER_BYTES = 8
const PADDING_BYTES = 16

export type DigestedDictionary = {
  id: number
  huffman: HuffmanTable
  offsets: FseTable
  matches: FseTable
  literals: FseTable
  repeats: [number, number, number]
  content: Uint8Array
}

/** @throws BadDictionaryError if its tables are damaged, so that no decoder could use it. */
export function checkDictionary(dictionary: Dictionary): void {
  digestDictionary(dictionary)
}

/** @throws BadDictionaryError if its tables are damaged. */
export function digestDictionary({ id, bytes }: Dictionary): DigestedDictionary {
  try {
    return digest(id, bytes)
  } catch (error) {
    if (error instanceof BadDictionaryError) throw error
    throw new BadDictionaryError('its entropy tables are damaged')
  }
}

function digest(id: number, bytes: Uint8Array): DigestedDictionary {
  const padded = new Uint8Array(bytes.length + PADDING_BYTES)
  padded.set(bytes)
  const view = new DataView(padded.buffer)
  const huffman = createHuffmanTable()
  let at = readHuffmanTable(huffman, padded, view, HEADER_BYTES, bytes.length)
  const next = (log: number, symbols: number): FseTable => {
    const table = createFseTable(log)
    const distribution = readDistribution(view, at, bytes.length, { log, symbols })
    at = distribution.end
    buildFseTable(table, distribution)
    return table
  }
  const offsets = next(MAX_OFFSETS_LOG, OFFSET_CODES)
  const matches = next(MAX_MATCHES_LOG, MATCH_CODES)
  const literals = next(MAX_LITERALS_LOG, LITERAL_CODES)
  const content = bytes.subarray(at + 12)
  const repeats: [number, number, number] = [
    view.getUint32(at, true),
    view.getUint32(at + 4, true),
    view.getUint32(at + 8, true),
  ]
  if (repeats.some((offset) => offset === 0 || offset > content.length)) {
    throw new BadDictionaryError('its repeat offsets point outside of it')
  }
  return { id, huffman, offsets, matches, literals, repeats, content }
}
