// The decoder that connections use: our own first, which digests the dictionary only once; on any doubt the
// trusted one, whose verdict is final.

import type { Dictionary } from './dictionary.ts'
import { FastDecoder } from './fast-decoder.ts'
import { createTrustedDecoder } from './trusted-decoder.ts'

export type Decompressor = {
  dictionaryId: number
  /**
   * The frame's content. The buffer is valid until the next call.
   * @throws OversizedError, or Error if the frame is damaged or not for this dictionary.
   */
  decompress(frame: Uint8Array): Uint8Array
  dispose(): void
}

export async function createDecompressor(
  dictionary: Dictionary,
  maxOutputBytes: number,
): Promise<Decompressor> {
  const trusted = await createTrustedDecoder(dictionary, maxOutputBytes)
  const fast = new FastDecoder(dictionary, maxOutputBytes)

  function decompress(frame: Uint8Array): Uint8Array {
    try {
      return fast.decompress(frame)
    } catch {
      return trusted.decompress(frame)
    }
  }

  return { dictionaryId: dictionary.id, decompress, dispose: trusted.dispose }
}
