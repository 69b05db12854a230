// The packets of a fragmented MP4, read strictly by ISO/IEC 14496-12 and without any code of src/: the data
// that a player would pass to its decoders, and when it would show it.

import { createHash } from 'node:crypto'

/** Kind, presentation time in seconds, bytes, start of the MD5. */
export type Packet = [kind: string, seconds: number, bytes: number, digest: string]

type Found = { type: string; start: number; body: Buffer }

/**
 * @param init - its head gives the kind of each track
 * @param segments - in order
 */
export function packetsOf(init: Buffer, segments: Buffer[]): Packet[] {
  const tracks = tracksOf(init)
  return segments.flatMap((segment) => {
    const moof = children(segment).find(({ type }) => type === 'moof')!
    return children(moof.body)
      .filter(({ type }) => type === 'traf')
      .flatMap((traf) => packetsOfTrack(segment, traf, tracks))
  })
}

function children(bytes: Buffer): Found[] {
  const found: Found[] = []
  for (let at = 0; at < bytes.length; ) {
    const size = bytes.readUInt32BE(at)
    const type = bytes.toString('latin1', at + 4, at + 8)
    found.push({ type, start: at, body: bytes.subarray(at + 8, at + size) })
    at += size
  }
  return found
}

function child(bytes: Buffer, ...path: string[]): Buffer {
  let body = bytes
  for (const type of path) body = children(body).find((found) => found.type === type)!.body
  return body
}

function tracksOf(init: Buffer): Map<number, { kind: string; timescale: number }> {
  const traks = children(child(init, 'moov')).filter(({ type }) => type === 'trak')
  return new Map(
    traks.map(({ body }) => [
      child(body, 'tkhd').readUInt32BE(12),
      {
        kind: child(body, 'mdia', 'hdlr').toString('latin1', 8, 12) === 'vide' ? 'video' : 'audio',
        timescale: child(body, 'mdia', 'mdhd').readUInt32BE(12),
      },
    ]),
  )
}

function packetsOfTrack(
  segment: Buffer,
  traf: Found,
  tracks: ReturnType<typeof tracksOf>,
): Packet[] {
  const { kind, timescale } = tracks.get(child(traf.body, 'tfhd').readUInt32BE(4))!
  const trun = child(traf.body, 'trun')
  let time = Number(child(traf.body, 'tfdt').readBigUInt64BE(4))
  let offset = trun.readInt32BE(8)
  return Array.from({ length: trun.readUInt32BE(4) }, (_, i): Packet => {
    const at = 12 + i * 16
    const size = trun.readUInt32BE(at + 4)
    const seconds = (time + trun.readInt32BE(at + 12)) / timescale
    const bytes = segment.subarray(offset, offset + size)
    time += trun.readUInt32BE(at)
    offset += size
    return [kind, seconds, size, createHash('md5').update(bytes).digest('hex').slice(0, 12)]
  })
}
