// In place of trusted-decoder.ts in a browser: libzstd is a file of its own there, which each bundler serves in another
// way. Frames that the decoder in JavaScript leaves to it are refused.

import type { Dictionary } from '../dictionary.ts'
import { readFrameHeader } from '../frame-header.ts'
import { OversizedError } from '../oversized.ts'
import type { TrustedDecoder } from '../trusted-decoder.ts'

export async function createTrustedDecoder(
  _dictionary: Dictionary,
  maxOutputBytes: number,
): Promise<TrustedDecoder> {
  return {
    decompress(frame) {
      const claimed = readFrameHeader(frame)?.contentSize ?? 0
      if (claimed > maxOutputBytes) throw new OversizedError(`frame of ${claimed} bytes`)
      throw new Error('this frame needs libzstd, which is not here in a browser')
    },
    dispose() {},
  }
}
