// Where the blocks of a sealed segment are: parses its fixed header, which points to the index, and the
// index. Layouts: segment/header.go and segment/footer.go of the server, its docs, §3.1.2.

import { BadBlockError, unsigned } from './block-rows.ts'

export const HEADER_BYTES = 256
/** Each block's frame is preceded by its length. */
export const PREFIX_BYTES = 8

const MAGIC = 'jss0'
const VERSION = 1
const ENTRY_BYTES = 52

export type SegmentHeader = {
  /** Identifies this generation of the file, in hexadecimal. */
  checksum: string
  blockCount: number
  /** Where the index begins, behind the last block. */
  indexAt: number
  indexBytes: number
}

export type BlockLocation = {
  index: number
  /** Position of the length before the frame. */
  at: number
  /** Bytes of the frame, without that length. */
  frameBytes: number
  events: number
  maxSeq: number
}

/** @throws BadBlockError */
export function readSegmentHeader(header: Buffer): SegmentHeader {
  if (header.length !== HEADER_BYTES || header.toString('latin1', 0, 4) !== MAGIC) {
    throw new BadBlockError('no segment')
  }
  const version = header.readUInt16LE(12)
  if (version !== VERSION) throw new BadBlockError(`a segment of version ${version}`)
  const blockCount = header.readUInt32LE(14)
  const indexAt = unsigned(header, 58)
  if (!(indexAt >= HEADER_BYTES) || unsigned(header, 90) !== indexAt) {
    throw new BadBlockError('a segment without an index')
  }
  const checksum = header.readBigUInt64LE(4).toString(16).padStart(16, '0')
  return { checksum, blockCount, indexAt, indexBytes: blockCount * ENTRY_BYTES }
}

/** Blocks in file order. @throws BadBlockError if they overlap or lie outside. */
export function readSegmentIndex(index: Buffer, header: SegmentHeader): BlockLocation[] {
  if (index.length !== header.indexBytes) throw new BadBlockError('half of an index')
  const blocks: BlockLocation[] = []
  let top = HEADER_BYTES
  for (let i = 0; i < header.blockCount; i++) {
    const entry = i * ENTRY_BYTES
    const at = unsigned(index, entry)
    const frameBytes = index.readUInt32LE(entry + 8)
    if (!(at >= top)) throw new BadBlockError('blocks that overlap')
    top = at + PREFIX_BYTES + frameBytes
    const events = index.readUInt32LE(entry + 16)
    blocks.push({ index: i, at, frameBytes, events, maxSeq: unsigned(index, entry + 28) })
  }
  if (top > header.indexAt) throw new BadBlockError('blocks behind the index')
  return blocks
}
