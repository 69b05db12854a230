// Aligns captions with a video whose timestamps do not start at 0: MPEG-TS begins at any timestamp, and
// players time captions by the same clock (RFC 8216 §3.5). So the first picture's timestamp is read.

import type { FileHandle } from 'node:fs/promises'
import { type CacheEntry, makeEntry } from '../cache/cache-entry.ts'

const PACKET = 188
const MAX_PACKETS = 500
const MAX_TIMESTAMP = 2 ** 33
const NO_OFFSET = 'MPEGTS:0\n'

/** Returns captions for a video that begins at that timestamp. */
export function captionsAt(entry: CacheEntry, firstTimestamp: number): CacheEntry {
  if (firstTimestamp === 0) return entry
  const text = entry.body.toString().replace(NO_OFFSET, `MPEGTS:${firstTimestamp}\n`)
  return makeEntry(entry.contentType, Buffer.from(text))
}

/** In units of 1/90,000 s; 0 if an MPEG-TS segment has no timestamp near its beginning. */
export async function firstTimestampOf(file: FileHandle, at: number): Promise<number> {
  const { buffer, bytesRead } = await file.read(
    Buffer.alloc(PACKET * MAX_PACKETS),
    0,
    undefined,
    at,
  )
  let first = MAX_TIMESTAMP
  for (let start = 0; start + PACKET <= bytesRead; start += PACKET) {
    const timestamp = presentationTime(buffer.subarray(start, start + PACKET))
    if (timestamp !== undefined) first = Math.min(first, timestamp)
  }
  return first === MAX_TIMESTAMP ? 0 : first
}

/** Timestamp of a packet that starts a picture or an audio frame (ISO/IEC 13818-1 §2.4.3). */
function presentationTime(packet: Buffer): number | undefined {
  const isStart = packet[0] === 0x47 && (packet[1]! & 0x40) !== 0
  const hasPayload = (packet[3]! & 0x10) !== 0
  const hasExtra = (packet[3]! & 0x20) !== 0
  if (!isStart || !hasPayload) return undefined
  const pes = hasExtra ? 5 + packet[4]! : 4
  if (pes + 14 > PACKET || packet.readUIntBE(pes, 3) !== 1) return undefined
  if ((packet[pes + 7]! & 0x80) === 0) return undefined
  const high = (packet[pes + 9]! & 0x0e) >> 1
  const middle = packet.readUInt16BE(pes + 10) >> 1
  const low = packet.readUInt16BE(pes + 12) >> 1
  return high * 2 ** 30 + middle * 2 ** 15 + low
}
