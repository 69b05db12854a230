// The header of a zstd frame (RFC 8878 section 3.1.1.1), read before trusting any of it.

import { readUint } from './bytes.ts'

const MAGIC = 0xfd2fb528
const ID_BYTES = [0, 1, 2, 4]
const SIZE_BYTES = [0, 2, 4, 8]

export type FrameHeader = {
  /** 0: none given. */
  dictionaryId: number
  /** undefined: not given. May exceed the size of any buffer. */
  contentSize: number | undefined
  windowSize: number
  hasChecksum: boolean
  /** Where the first block starts. */
  end: number
}

/** @returns undefined if `frame` does not start with a whole, well-formed header. */
export function readFrameHeader(frame: Uint8Array): FrameHeader | undefined {
  if (frame.length < 6 || readUint(frame, 0, 4) !== MAGIC) return undefined
  const descriptor = frame[4]!
  if (descriptor & 0x08) return undefined
  const isSingleSegment = (descriptor & 0x20) !== 0
  const idBytes = ID_BYTES[descriptor & 3]!
  const sizeFlag = descriptor >> 6
  const sizeBytes = sizeFlag === 0 && isSingleSegment ? 1 : SIZE_BYTES[sizeFlag]!
  const idAt = isSingleSegment ? 5 : 6
  const sizeAt = idAt + idBytes
  const end = sizeAt + sizeBytes
  if (frame.length < end) return undefined
  const contentSize = readSize(frame, sizeAt, sizeBytes)
  return {
    dictionaryId: idBytes === 0 ? 0 : readUint(frame, idAt, idBytes),
    contentSize,
    windowSize: isSingleSegment ? contentSize! : readWindow(frame[5]!),
    hasChecksum: (descriptor & 4) !== 0,
    end,
  }
}

function readSize(frame: Uint8Array, at: number, bytes: number): number | undefined {
  if (bytes === 0) return undefined
  if (bytes === 1) return frame[at]!
  if (bytes === 2) return readUint(frame, at, 2) + 256
  const low = readUint(frame, at, 4)
  return bytes === 4 ? low : low + readUint(frame, at + 4, 4) * 2 ** 32
}

function readWindow(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >> 3))
  return base + (base / 8) * (descriptor & 7)
}
