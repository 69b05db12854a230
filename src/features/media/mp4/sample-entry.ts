// How samples are encoded, from a track's sample entry (ISO/IEC 14496-12 §8.5.2): H.264 in its configuration
// record, MPEG-4 audio in nested descriptors. The bytes are untrusted: any other form throws.

import { type Box, boxesBetween, Mp4Error } from './boxes.ts'

/** Fixed part after the head of a sample entry (ISO/IEC 14496-12 §12.1.3, §12.2.3). */
export const VISUAL_BYTES = 78
const AUDIO_BYTES = 28

/**
 * Sample entry of an H.264 track, from its whole `stsd`.
 * @throws Mp4Error for other codecs
 */
export function pictureEntry(stsd: Buffer): { box: Box; width: number; height: number } {
  const box = boxesBetween(stsd, 16, stsd.length)[0]
  if (box?.type !== 'avc1') throw new Mp4Error('its video is not H.264')
  const [width, height] = [stsd.readUInt16BE(box.body + 24), stsd.readUInt16BE(box.body + 26)]
  return { box, width, height }
}

/** The record of an H.264 track (ISO/IEC 14496-15 §5.3.3). @throws RangeError */
export function avcConfig(bytes: Buffer, entry: Box): Buffer {
  const { body, end } = inside(bytes, entry, VISUAL_BYTES, 'avcC')
  return bytes.subarray(body, end)
}

/**
 * The AudioSpecificConfig (ISO/IEC 14496-3 §1.6.2.1) and any bytes after it.
 * @throws RangeError
 */
export function audioConfig(bytes: Buffer, entry: Box): Buffer {
  const { body, end } = inside(bytes, entry, AUDIO_BYTES, 'esds')
  const stream = descriptorAt(bytes, body + 4, 3)
  const decoder = descriptorAt(bytes, stream + 3, 4)
  if (bytes.readUInt8(decoder) !== 0x40) throw new RangeError('not MPEG-4 audio')
  return bytes.subarray(descriptorAt(bytes, decoder + 13, 5), end)
}

function inside(bytes: Buffer, { body, end }: Box, fixed: number, type: string): Box {
  const found = boxesBetween(bytes, body + fixed, end).find((box) => box.type === type)
  if (!found) throw new RangeError(`no ${type}`)
  return found
}

/**
 * Offset of a descriptor's content (ISO/IEC 14496-1 §7.2.6); its length takes one to four bytes.
 */
function descriptorAt(bytes: Buffer, at: number, tag: number): number {
  if (bytes.readUInt8(at) !== tag) throw new RangeError('unexpected descriptor')
  let content = at + 1
  for (let i = 0; i < 3 && bytes.readUInt8(content) & 0x80; i++) content += 1
  return content + 1
}
