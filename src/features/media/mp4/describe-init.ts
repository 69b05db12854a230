// Describes a cut video for a master playlist: codec names (RFC 6381) and picture size, from the head that
// all its pieces share. If one codec is unknown here, none are named, since players take an incomplete list
// as complete.

import { type Box, boxesBetween, findBox } from './boxes.ts'
import { audioConfig, avcConfig } from './sample-entry.ts'

type Description = {
  codecs?: string | undefined
  width?: number | undefined
  height?: number | undefined
}

/** Empty if the head has an unsupported structure. */
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
    return `${entry.type}.${avcConfig(init, entry).toString('hex', 1, 4)}`
  }
  if (entry.type !== 'mp4a') return undefined
  return `mp4a.40.${audioObjectType(audioConfig(init, entry))}`
}

function audioObjectType(config: Buffer): number {
  const type = config.readUInt8(0) >> 3
  if (type === 0 || type === 31) throw new RangeError('an unsupported audio type')
  return type
}
