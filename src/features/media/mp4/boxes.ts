// Boxes, the building blocks of MP4: a length, four letters and a content (ISO/IEC 14496-12 §4.2). The bytes
// are untrusted: a length that exceeds its container is an error, never a read beyond it.

export type Box = {
  type: string
  /** Offset of the box, at its head. */
  start: number
  /** Offset of its content. */
  body: number
  end: number
}

/** The bytes are no MP4, or use a structure we do not support. */
export class Mp4Error extends Error {
  override name = 'Mp4Error'
}

export const BOX_HEAD_BYTES = 16

/** Limit within one box; a real head has a dozen. */
const MAX_BOXES = 256

/**
 * Reads a box's head from the bytes at `at`; `start` is its offset in the file.
 * @throws Mp4Error if the box would end beyond `limit`.
 */
export function readBoxHead(
  bytes: Buffer,
  at: number,
  { start, limit }: { start: number; limit: number },
): Box {
  if (at + 8 > bytes.length) throw new Mp4Error('a box is truncated')
  const short = bytes.readUInt32BE(at)
  const type = bytes.toString('latin1', at + 4, at + 8)
  const isLong = short === 1
  if (isLong && at + 16 > bytes.length) throw new Mp4Error('a box is truncated')
  const size = isLong ? Number(bytes.readBigUInt64BE(at + 8)) : short || limit - start
  const headBytes = isLong ? 16 : 8
  if (size < headBytes || start + size > limit) throw new Mp4Error(`${type} does not fit`)
  return { type, start, body: start + headBytes, end: start + size }
}

/**
 * Returns the boxes between `start` and `end`.
 * @throws Mp4Error
 */
export function boxesBetween(bytes: Buffer, start: number, end: number): Box[] {
  const found: Box[] = []
  for (let at = start; at + 8 <= end; ) {
    const box = readBoxHead(bytes, at, { start: at, limit: end })
    if (found.push(box) > MAX_BOXES) throw new Mp4Error('too many boxes')
    at = box.end
  }
  return found
}

/** Returns the box at this path of types, taking the first of each. */
export function findBox(bytes: Buffer, within: Box, ...path: string[]): Box | undefined {
  let box: Box | undefined = within
  for (const type of path) {
    if (!box) return undefined
    box = boxesBetween(bytes, box.body, box.end).find((box) => box.type === type)
  }
  return box
}

export function makeBox(type: string, ...content: Uint8Array[]): Buffer {
  const head = Buffer.alloc(8)
  head.writeUInt32BE(8 + content.reduce((sum, value) => sum + value.length, 0))
  head.write(type, 4, 'latin1')
  return Buffer.concat([head, ...content])
}

/** A box with version and flags, and integers of four bytes. */
export function makeFullBox(
  type: string,
  { version = 0, flags = 0 }: { version?: number; flags?: number },
  numbers: readonly number[],
): Buffer {
  const content = Buffer.alloc(4 + numbers.length * 4)
  content.writeUInt32BE(version * 0x1000000 + flags)
  numbers.forEach((number, i) => {
    content.writeInt32BE(number | 0, 4 + i * 4)
  })
  return makeBox(type, content)
}
