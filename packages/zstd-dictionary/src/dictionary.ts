// A structured zstd dictionary (RFC 8878 section 5), as far as it can be checked without decoding its tables.

import { readUint } from './bytes.ts'

const MAGIC = 0xec30a437
const MIN_BYTES = 32
export const MAX_DICTIONARY_BYTES = 1024 * 1024

export type Dictionary = { id: number; bytes: Uint8Array }

export class BadDictionaryError extends Error {
  override name = 'BadDictionaryError'
}

/** @throws BadDictionaryError with a message that says what is wrong with it. */
export function readDictionary(bytes: Uint8Array): Dictionary {
  if (bytes.length < MIN_BYTES || bytes.length > MAX_DICTIONARY_BYTES) {
    throw new BadDictionaryError(`${bytes.length} bytes is no fit size for a dictionary`)
  }
  if (readUint(bytes, 0, 4) !== MAGIC) {
    throw new BadDictionaryError('it does not start as a structured zstd dictionary')
  }
  const id = readUint(bytes, 4, 4)
  if (id === 0) throw new BadDictionaryError('dictionary ID 0 is reserved')
  return { id, bytes }
}
