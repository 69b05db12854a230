// What the package offers; its other files are its own.

export { createDecompressor, type Decompressor } from './decompressor.ts'
export {
  BadDictionaryError,
  type Dictionary,
  MAX_DICTIONARY_BYTES,
  readDictionary,
} from './dictionary.ts'
export { checkDictionary } from './digested-dictionary.ts'
export { FastDecoder } from './fast-decoder.ts'
export { type FrameHeader, readFrameHeader } from './frame-header.ts'
export { OversizedError } from './oversized.ts'
export { createTrustedDecoder, type TrustedDecoder } from './trusted-decoder.ts'
