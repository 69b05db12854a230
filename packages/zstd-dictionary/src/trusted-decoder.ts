// The trusted decoder: libzstd compiled to WebAssembly. Slow here, because it digests the whole dictionary
// again for every frame, but its verdict is final when our own decoder doubts a frame.

import { createDCtx, decompressUsingDict, freeDCtx, init } from '@bokuweb/zstd-wasm'
import type { Dictionary } from './dictionary.ts'
import { readFrameHeader } from './frame-header.ts'
import { OversizedError } from './oversized.ts'

export type TrustedDecoder = {
  /** @throws OversizedError, or Error if libzstd refuses the frame. */
  decompress(frame: Uint8Array): Uint8Array
  dispose(): void
}

let ready: Promise<void> | undefined

export async function createTrustedDecoder(
  dictionary: Dictionary,
  maxOutputBytes: number,
): Promise<TrustedDecoder> {
  // A second init would replace the module of existing contexts.
  ready ??= init()
  await ready
  const context = createDCtx()

  function decompress(frame: Uint8Array): Uint8Array {
    const header = readFrameHeader(frame)
    if (!header) throw new Error('not a zstd frame')
    // The package allocates the declared size without checking that it succeeded.
    const claimed = header.contentSize ?? 0
    if (claimed > maxOutputBytes) throw new OversizedError(`frame of ${claimed} bytes`)
    try {
      const options = { defaultHeapSize: maxOutputBytes }
      const bytes = decompressUsingDict(context, frame, dictionary.bytes, options)
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    } catch (error) {
      const isTooSmall = header.contentSize === undefined && /-70\b/.test(String(error))
      throw isTooSmall ? new OversizedError(`frame over ${maxOutputBytes} bytes`) : error
    }
  }

  return { decompress, dispose: () => freeDCtx(context) }
}
