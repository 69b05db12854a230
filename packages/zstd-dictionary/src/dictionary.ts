// A structured zstd dictionary (RFC 8878 section 5), as far as it can be checked without decoding its tables.

const MAGIC = 0xec30a437
const MIN_BYTES = 32
export const MAX_DICTIONARY_BYTES = 1024 * 1024

export type Dictionary = { id: number; bytes: Buffer }

export class BadDictionaryError extends Error {
  override name = 'BadDictionaryError'
}

/** @throws BadDictionaryError with a message that says what is wrong with it. */
export function readDictionary(bytes: Buffer): Dictionary {
  if (bytes.length < MIN_BYTES || bytes.length > MAX_DICTIONARY_BYTES) {
    throw new BadDictionaryError(`${bytes.length} bytes is no fit size for a dictionary`)
  }
  if (bytes.readUInt32LE(0) !== MAGIC) {
    throw new BadDictionaryError('it does not start as a structured zstd dictionary')
  }
  const id = bytes.readUInt32LE(4)
  if (id === 0) throw new BadDictionaryError('dictionary ID 0 is reserved')
  return { id, bytes }
}
