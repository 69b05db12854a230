// Stored post records: JSON as received or, from a few hundred bytes on, compressed with a dictionary of
// common post content (deflate: a tenth smaller and several times quicker to read than zstd at this size,
// which digests its dictionary again at each call). Shorter ones would save little and cost as much to pack
// (some 20 µs; 5 to unpack, once, since readers cache it). The first byte tells them apart. Older rows are
// JSON and stay so.

import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { POST_DICTIONARY } from './record-dictionary.ts'

const PACKED = 1
const MIN_PACKED_BYTES = 360
/** Far above any record; a block of a repository may have a megabyte. */
const MAX_RECORD_BYTES = 4 << 20

const dictionary = Buffer.from(POST_DICTIONARY)
// Small windows and tables: clearing them takes most of the time.
const packing = { dictionary, level: 6, windowBits: 12, memLevel: 5, chunkSize: 2048 }
const unpacking = { dictionary, windowBits: 12, maxOutputLength: MAX_RECORD_BYTES }

/** SQL for a record column, to be read by `recordText`: text if it is JSON, which is cheaper. */
export function recordColumn(column: string): string {
  return `CASE WHEN substr(${column}, 1, 1) = x'01' THEN ${column} ELSE CAST(${column} AS TEXT) END`
}

export function packRecord(json: Buffer): Buffer {
  if (json.length < MIN_PACKED_BYTES) return json
  const packed = deflateRawSync(json, packing)
  return packed.length + 1 < json.length ? Buffer.concat([Buffer.of(PACKED), packed]) : json
}

/** The JSON from a `recordColumn`; null for null, and for what can't be unpacked. */
export function recordText(stored: Uint8Array | string | null): string | null {
  if (stored === null || typeof stored === 'string') return stored
  if (stored[0] !== PACKED) return Buffer.from(stored).toString()
  try {
    const chunkSize = stored.length * 4 + 256
    return inflateRawSync(stored.subarray(1), { ...unpacking, chunkSize }).toString()
  } catch {
    return null
  }
}
