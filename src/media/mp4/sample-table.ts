// What a track's tables say of its samples (pictures, pieces of sound): where each stands in the file, how
// long it is in bytes and in time, and whether decoding can begin with it (ISO/IEC 14496-12 §8.6, §8.7).

import { type Box, findBox, Mp4Error } from './boxes.ts'

export type Samples = {
  count: number
  offsets: Float64Array
  sizes: Uint32Array
  /** When each is decoded, and how long it lasts, in the track's units. */
  times: Float64Array
  durations: Uint32Array
  /** How much later than decoded it is shown. */
  delays: Int32Array
  isSync: Uint8Array
}

/** Three minutes at 60 a second are 10,800; lexicons allow no longer ones. */
const MAX_SAMPLES = 200_000

type Table = { at: number; count: number; version: number }

/** @throws Mp4Error, or RangeError where a table is longer than its box. */
export function readSamples(bytes: Buffer, stbl: Box): Samples {
  const size = tableOf(bytes, stbl, 'stsz')
  if (!size) throw new Mp4Error('no sizes of samples')
  const uniformSize = bytes.readUInt32BE(size.at - 4)
  const count = bytes.readUInt32BE(size.at)
  if (count > MAX_SAMPLES) throw new Mp4Error('too many samples')
  const sizes = new Uint32Array(count)
  for (let i = 0; i < count; i++) {
    sizes[i] = uniformSize || bytes.readUInt32BE(size.at + 4 + i * 4)
  }
  return {
    count,
    sizes,
    offsets: readOffsets(bytes, stbl, sizes),
    ...readTimes(bytes, stbl, count),
    delays: readDelays(bytes, stbl, count),
    isSync: readSync(bytes, stbl, count),
  }
}

/** Where a table's first entry stands. Of stsz, the field behind the uniform size. */
function tableOf(bytes: Buffer, stbl: Box, type: string): Table | undefined {
  const box = findBox(bytes, stbl, type)
  if (!box) return undefined
  if (type === 'stsz') return { at: box.body + 8, count: 0, version: 0 }
  const count = bytes.readUInt32BE(box.body + 4)
  if (count > MAX_SAMPLES) throw new Mp4Error(`too many entries in ${type}`)
  return { at: box.body + 8, count, version: bytes.readUInt8(box.body) }
}

function readTimes(bytes: Buffer, stbl: Box, count: number) {
  const table = tableOf(bytes, stbl, 'stts')
  const times = new Float64Array(count)
  const durations = new Uint32Array(count)
  let time = 0
  let i = 0
  for (let entry = 0; entry < (table?.count ?? 0); entry++) {
    const at = table!.at + entry * 8
    const last = Math.min(count, i + bytes.readUInt32BE(at))
    const duration = bytes.readUInt32BE(at + 4)
    for (; i < last; i++) {
      times[i] = time
      durations[i] = duration
      time += duration
    }
  }
  if (i < count) throw new Mp4Error('samples without a time')
  return { times, durations }
}

function readDelays(bytes: Buffer, stbl: Box, count: number): Int32Array {
  const delays = new Int32Array(count)
  const table = tableOf(bytes, stbl, 'ctts')
  let i = 0
  for (let entry = 0; entry < (table?.count ?? 0); entry++) {
    const at = table!.at + entry * 8
    const last = Math.min(count, i + bytes.readUInt32BE(at))
    // Version 0 has no sign, but writers put negative numbers there all the same.
    delays.fill(bytes.readInt32BE(at + 4), i, last)
    i = last
  }
  return delays
}

/** Without the table, decoding can begin anywhere. */
function readSync(bytes: Buffer, stbl: Box, count: number): Uint8Array {
  const table = tableOf(bytes, stbl, 'stss')
  const isSync = new Uint8Array(count).fill(table ? 0 : 1)
  for (let entry = 0; entry < (table?.count ?? 0); entry++) {
    const number = bytes.readUInt32BE(table!.at + entry * 4)
    if (number >= 1 && number <= count) isSync[number - 1] = 1
  }
  return isSync
}

/** Samples stand in chunks; each chunk has its place, and each run of chunks its number of samples. */
function readOffsets(bytes: Buffer, stbl: Box, sizes: Uint32Array): Float64Array {
  const offsets = new Float64Array(sizes.length)
  const chunks = readChunks(bytes, stbl)
  const runs = tableOf(bytes, stbl, 'stsc')
  let sample = 0
  for (let entry = 0; entry < (runs?.count ?? 0); entry++) {
    const at = runs!.at + entry * 12
    const isLast = entry + 1 === runs!.count
    const end = isLast ? chunks.length : Math.min(chunks.length, bytes.readUInt32BE(at + 12) - 1)
    const perChunk = bytes.readUInt32BE(at + 4)
    for (let chunk = bytes.readUInt32BE(at) - 1; chunk < end; chunk++) {
      let offset = chunks[chunk] ?? 0
      for (let i = 0; i < perChunk && sample < sizes.length; i++) {
        offsets[sample] = offset
        offset += sizes[sample++]!
      }
    }
  }
  if (sample < sizes.length) throw new Mp4Error('samples without a place')
  return offsets
}

function readChunks(bytes: Buffer, stbl: Box): Float64Array {
  const long = tableOf(bytes, stbl, 'co64')
  const table = long ?? tableOf(bytes, stbl, 'stco')
  if (!table) throw new Mp4Error('no places of chunks')
  const chunks = new Float64Array(table.count)
  for (let i = 0; i < table.count; i++) {
    chunks[i] = long
      ? Number(bytes.readBigUInt64BE(table.at + i * 8))
      : bytes.readUInt32BE(table.at + i * 4)
  }
  return chunks
}
