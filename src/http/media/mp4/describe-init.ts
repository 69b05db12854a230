// What a master playlist says of a video that was cut: codecs by their names (RFC 6381) and the pictures' size,
// from the head that all its pieces share. A codec that is not named here leaves all of them unnamed, since a
// player takes an incomplete list for the whole.

import { type Box, boxesBetween, findBox } from './boxes.ts'

type Description = {
  codecs?: string | undefined
  width?: number | undefined
  height?: number | undefined
}

/** Behind the head of a sample entry: its fixed part (ISO/IEC 14496-12 §12.1.3, §12.2.3). */
const VISUAL_BYTES = 78
const AUDIO_BYTES = 28

/** Nothing where the head is made in a way that is not known here. */
export function describeInit(init: Buffer): Description {
  try {
    const entries = sampleEntries(init)
    const codecs = entries.map((entry) => codecOf(init, entry))
    const picture = entries.find(({ type }) => type !== 'mp4a')
    return {
      codecs: codecs.length > 0 && codecs.every(Boolean) ? codecs.join(',') : undefined,
      ...(picture && sizeOf(init, picture)),
    }
  } catch {
    return {}
  }
}

function sampleEntries(init: Buffer): Box[] {
  const moov = boxesBetween(init, 0, init.length).find(({ type }) => type === 'moov')
  if (!moov) return []
  const traks = boxesBetween(init, moov.body, moov.end).filter(({ type }) => type === 'trak')
  return traks.map((trak) => {
    const stsd = findBox(init, trak, 'mdia', 'minf', 'stbl', 'stsd')!
    return boxesBetween(init, stsd.body + 8, stsd.end)[0]!
  })
}

function sizeOf(init: Buffer, { body }: Box): Description {
  const [width, height] = [init.readUInt16BE(body + 24), init.readUInt16BE(body + 26)]
  return width > 0 && height > 0 ? { width, height } : {}
}

function codecOf(init: Buffer, entry: Box): string | undefined {
  if (entry.type === 'avc1' || entry.type === 'avc3') {
    const avcC = inside(init, entry, VISUAL_BYTES, 'avcC')
    return `${entry.type}.${init.toString('hex', avcC.body + 1, avcC.body + 4)}`
  }
  if (entry.type !== 'mp4a') return undefined
  return `mp4a.40.${audioObjectType(init, inside(init, entry, AUDIO_BYTES, 'esds'))}`
}

function inside(init: Buffer, { body, end }: Box, fixed: number, type: string): Box {
  return boxesBetween(init, body + fixed, end).find((box) => box.type === type)!
}

/** Of MPEG-4 audio: descriptors in one another (ISO/IEC 14496-1 §7.2.6), the innermost begins with it. */
function audioObjectType(init: Buffer, { body }: Box): number {
  const stream = descriptorAt(init, body + 4, 3)
  const decoder = descriptorAt(init, stream + 3, 4)
  if (init.readUInt8(decoder) !== 0x40) throw new RangeError('not MPEG-4 audio')
  const specific = descriptorAt(init, decoder + 13, 5)
  const type = init.readUInt8(specific) >> 3
  if (type === 0 || type === 31) throw new RangeError('an audio type of another form')
  return type
}

/** Where the content of a descriptor begins; its length takes one to four bytes. */
function descriptorAt(init: Buffer, at: number, tag: number): number {
  if (init.readUInt8(at) !== tag) throw new RangeError('another descriptor')
  let content = at + 1
  for (let i = 0; i < 3 && init.readUInt8(content) & 0x80; i++) content += 1
  return content + 1
}
