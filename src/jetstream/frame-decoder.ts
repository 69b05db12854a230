// One frame, as it came off the socket, to one event: decompress, check, parse, validate.
//
// Never throws on outside data: what cannot be used is named by a DropReason.

import { isUtf8 } from 'node:buffer'
import { decodeV1 } from './decode-v1.ts'
import { decodeV2 } from './decode-v2.ts'
import type { Decoded } from './decoded.ts'
import { hasBrokenText, hasForbiddenKey, isTooDeep } from './hostile-json.ts'
import { type Decompressor, OversizedError } from './zstd/decompressor.ts'

export type FrameDecoder = {
  /** `isBinary`: the frame is compressed. */
  decode(frame: Buffer, isBinary: boolean): Decoded
}

/** @param options.decompressor undefined on a plain connection: binary frames are unknown there. */
export function createFrameDecoder(options: {
  wire: 'v1' | 'v2'
  decompressor: Decompressor | undefined
  maxFrameBytes: number
}): FrameDecoder {
  const { decompressor, maxFrameBytes } = options
  const decodeJson = options.wire === 'v2' ? decodeV2 : decodeV1

  function decode(frame: Buffer, isBinary: boolean): Decoded {
    if (!isBinary) {
      if (frame.length > maxFrameBytes) return 'oversized'
      return decodeContent(frame)
    }
    if (!decompressor) return 'unknown-frame'
    try {
      return decodeContent(decompressor.decompress(frame))
    } catch (error) {
      return error instanceof OversizedError ? 'oversized' : 'bad-zstd'
    }
  }

  function decodeContent(content: Buffer): Decoded {
    const text = content.toString()
    // The replacement character is there either way when bytes were invalid, and cheap to look for.
    if (text.includes('\ufffd') && !isUtf8(content)) return 'bad-utf8'
    if (isTooDeep(text)) return 'too-deep'
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch {
      return 'bad-json'
    }
    if (hasBrokenText(text, value)) return 'bad-text'
    return hasForbiddenKey(text, value) ? 'forbidden-key' : decodeJson(value)
  }

  return { decode }
}
