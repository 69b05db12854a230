// Turns one frame off the socket into one event: decompress, check, parse, validate. A commit may stay
// unparsed if its bytes tell enough (unread.ts).
//
// Never throws on outside data: unusable frames get a DropReason.

import { type Decompressor, OversizedError } from '@slipstream/zstd-dictionary'
import { mayBeTheirs } from '../assert.ts'
import { isUtf8, textOf } from '../platform.ts'
import { decodeV1 } from './decode-v1.ts'
import { decodeV2 } from './decode-v2.ts'
import type { Decoded, DropReason } from './decoded.ts'
import { excessOf, hasBrokenText, hasForbiddenKey } from './hostile-json.ts'
import { asObject, isDid, parseJson } from './syntax.ts'
import { createScanner } from './unread.ts'

/**
 * A record with this many values exceeds the 100,000 characters of JSON beyond which none is kept
 * (ingest/indexing/validation/validate.ts). The specification allows a record of 1,000,000 bytes
 * (https://atproto.com/specs/sync), which could be 200,000 values.
 */
const MAX_VALUES = 50_000
/** Deeper than any honest record. */
const MAX_DEPTH = 100

export type FrameDecoder = {
  /** `isBinary`: the frame is compressed. */
  decode(frame: Uint8Array, isBinary: boolean): Decoded
  /** Size of the last frame's content. */
  readonly contentBytes: number
  /** The account of the last frame, if it names one; for unusable frames. */
  didOfLast(): string | undefined
}

/**
 * @param options.decompressor undefined on an uncompressed connection, where binary frames are
 * unknown.
 * @param options.unread collections whose commits may be handed over unparsed.
 */
export function createFrameDecoder(options: {
  wire: 'v1' | 'v2'
  decompressor: Decompressor | undefined
  maxFrameBytes: number
  unread?: readonly string[]
}): FrameDecoder {
  const { wire, decompressor, maxFrameBytes, unread = [] } = options
  let contentBytes = 0
  let last: Uint8Array | undefined
  const decodeJson = wire === 'v2' ? decodeV2 : decodeV1
  const scanner =
    unread.length > 0 ? createScanner({ wire, collections: unread, parse }) : undefined

  function decode(frame: Uint8Array, isBinary: boolean): Decoded {
    const content = isBinary ? decompress(frame) : frame
    if (typeof content === 'string') return content
    if (content.length > maxFrameBytes) return 'oversized'
    try {
      return decodeContent(content)
    } catch (error) {
      if (!mayBeTheirs(error)) throw error
      return 'unreadable'
    }
  }

  function decompress(frame: Uint8Array): Uint8Array | DropReason {
    if (!decompressor) return 'unknown-frame'
    try {
      return decompressor.decompress(frame)
    } catch (error) {
      return error instanceof OversizedError ? 'oversized' : 'bad-zstd'
    }
  }

  function decodeContent(content: Uint8Array): Decoded {
    contentBytes = content.length
    last = content
    return scanner?.scan(content) ?? parse(content)
  }

  function parse(content: Uint8Array): Decoded {
    const text = textOf(content)
    // Invalid bytes always produce the replacement character, which is cheap to look for.
    if (text.includes('\ufffd') && !isUtf8(content)) return 'bad-utf8'
    const excess = excessOf(text, { values: MAX_VALUES, depth: MAX_DEPTH })
    if (excess) return excess
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch {
      return 'bad-json'
    }
    if (hasBrokenText(text, value)) return 'bad-text'
    return hasForbiddenKey(text, value) ? 'forbidden-key' : decodeJson(value)
  }

  return {
    decode,
    get contentBytes() {
      return contentBytes
    },
    didOfLast: () => last && didIn(last),
  }
}

function didIn(content: Uint8Array): string | undefined {
  const frame = asObject(parseJson(textOf(content))) ?? {}
  const { did } = asObject(frame.payload) ?? frame
  return isDid(did) ? did : undefined
}
