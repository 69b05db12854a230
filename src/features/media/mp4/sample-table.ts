// Reads a track's sample tables (pictures, audio frames): each sample's offset, its length in bytes and in
// time, and whether decoding can begin there (ISO/IEC 14496-12 §8.6, §8.7). The tables are untrusted: each
// must fit into its box, counts are bounded, and the contents are walked once.

import { type Box, findBox, Mp4Error } from './boxes.ts'

export type Samples = {
  count: number
  offsets: Float64Array
  sizes: Uint32Array
  /** Decoding time and duration of each sample, in the track's units. */
  times: Float64Array
  durations: Uint32Array
  /** Delay from decoding to presentation. */
  delays: Int32Array
  isSync: Uint8Array
  /** The chunks that hold the samples, in sample order. */
  chunks: { starts: Float64Array; ends: Float64Array }
}

/** Three minutes at 60 per second are 10,800; lexicons allow no longer videos. */
const MAX_SAMPLES = 200_000

type Table = { at: number; count: number }

/**
 * Number of a track's samples.
 * @throws Mp4Error, or RangeError if the box is too short.
 */
export function countSamples(bytes: Buffer, stbl: Box): number {
  return sizeTable(bytes, stbl).count
}

/** @throws Mp4Error, or RangeError if a box is too short for its head. */
export function readSamples(bytes: Buffer, stbl: Box): Samples {
  const sizes = readSizes(bytes, stbl)
  const count = sizes.length
  return {
    count,
    sizes,
    ...readOffsets(bytes, stbl, sizes),
    ...readTimes(bytes, stbl, count),
    delays: readDelays(bytes, stbl, count),
    isSync: readSync(bytes, stbl, count),
  }
}

function readSizes(bytes: Buffer, stbl: Box): Uint32Array {
  const { at, count, uniformSize } = sizeTable(bytes, stbl)
  const sizes = new Uint32Array(count).fill(uniformSize)
  if (uniformSize > 0) return sizes
  for (let i = 0; i < count; i++) sizes[i] = bytes.readUInt32BE(at + i * 4)
  return sizes
}

function sizeTable(bytes: Buffer, stbl: Box): Table & { uniformSize: number } {
  const box = findBox(bytes, stbl, 'stsz')
  if (!box) throw new Mp4Error('no sample sizes')
  const uniformSize = bytes.readUInt32BE(box.body + 4)
  const count = bytes.readUInt32BE(box.body + 8)
  if (count > MAX_SAMPLES) throw new Mp4Error('too many samples')
  const at = box.body + 12
  if (uniformSize === 0) checkFits({ at, count }, box, 4)
  return { at, count, uniformSize }
}

/**
 * Offset of a table's first entry and the number of entries; undefined if there is no such table.
 */
function tableOf(bytes: Buffer, stbl: Box, type: string, entryBytes: number): Table | undefined {
  const box = findBox(bytes, stbl, type)
  if (!box) return undefined
  const table = { at: box.body + 8, count: bytes.readUInt32BE(box.body + 4) }
  if (table.count > MAX_SAMPLES) throw new Mp4Error(`too many entries in ${type}`)
  checkFits(table, box, entryBytes)
  return table
}

function checkFits({ at, count }: Table, box: Box, entryBytes: number): void {
  if (at + count * entryBytes > box.end) throw new Mp4Error(`${box.type} is longer than its box`)
}

function readTimes(bytes: Buffer, stbl: Box, count: number) {
  const table = tableOf(bytes, stbl, 'stts', 8)
  const times = new Float64Array(count)
  const durations = new Uint32Array(count)
  let time = 0
  let i = 0
  for (let entry = 0; entry < (table?.count ?? 0) && i < count; entry++) {
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
  const table = tableOf(bytes, stbl, 'ctts', 8)
  let i = 0
  for (let entry = 0; entry < (table?.count ?? 0) && i < count; entry++) {
    const at = table!.at + entry * 8
    const last = Math.min(count, i + bytes.readUInt32BE(at))
    // Version 0 is unsigned, but some writers store negative numbers anyway.
    delays.fill(bytes.readInt32BE(at + 4), i, last)
    i = last
  }
  return delays
}

/** Without this table, decoding can begin at any sample. */
function readSync(bytes: Buffer, stbl: Box, count: number): Uint8Array {
  const table = tableOf(bytes, stbl, 'stss', 4)
  const isSync = new Uint8Array(count).fill(table ? 0 : 1)
  for (let entry = 0; entry < (table?.count ?? 0); entry++) {
    const number = bytes.readUInt32BE(table!.at + entry * 4)
    if (number >= 1 && number <= count) isSync[number - 1] = 1
  }
  return isSync
}

/**
 * Samples lie in chunks. Each chunk has an offset, and each run of chunks a number of samples per
 * chunk.
 */
function readOffsets(bytes: Buffer, stbl: Box, sizes: Uint32Array) {
  const offsets = new Float64Array(sizes.length)
  const starts = readChunks(bytes, stbl)
  const ends = starts.slice()
  const samplesIn = readChunkCounts(bytes, stbl, starts.length)
  let sample = 0
  let chunk = 0
  for (; chunk < starts.length && sample < sizes.length; chunk++) {
    const last = Math.min(sizes.length, sample + samplesIn[chunk]!)
    let offset = starts[chunk]!
    for (; sample < last; sample++) {
      offsets[sample] = offset
      offset += sizes[sample]!
    }
    ends[chunk] = offset
  }
  if (sample < sizes.length) throw new Mp4Error('samples without an offset')
  return { offsets, chunks: { starts: starts.subarray(0, chunk), ends: ends.subarray(0, chunk) } }
}

/** Runs are in order, so each chunk belongs to one run and is visited once. */
function readChunkCounts(bytes: Buffer, stbl: Box, chunks: number): Uint32Array {
  const counts = new Uint32Array(chunks)
  const runs = tableOf(bytes, stbl, 'stsc', 12)
  const firstOf = (run: number) => bytes.readUInt32BE(runs!.at + run * 12) - 1
  for (let run = 0; run < (runs?.count ?? 0); run++) {
    const first = firstOf(run)
    const end = run + 1 < runs!.count ? firstOf(run + 1) : Math.max(first + 1, chunks)
    if ((run === 0 && first !== 0) || end <= first) throw new Mp4Error('chunks out of order')
    counts.fill(bytes.readUInt32BE(runs!.at + run * 12 + 4), first, end)
  }
  return counts
}

function readChunks(bytes: Buffer, stbl: Box): Float64Array {
  const long = tableOf(bytes, stbl, 'co64', 8)
  const table = long ?? tableOf(bytes, stbl, 'stco', 4)
  if (!table) throw new Mp4Error('no chunk offsets')
  const chunks = new Float64Array(table.count)
  for (let i = 0; i < table.count; i++) {
    chunks[i] = long
      ? Number(bytes.readBigUInt64BE(table.at + i * 8))
      : bytes.readUInt32BE(table.at + i * 4)
  }
  return chunks
}
