// Samples stand within `mdat` boxes, and no two of them share a byte: so what is cut from a file is no
// larger than the file, whatever its tables say. What is added to each sample is bounded beside.

import { Mp4Error } from './boxes.ts'
import type { Movie } from './read-movie.ts'

type FileExtent = { start: number; end: number }

/** Of a sample in the head of its fragment. */
const BYTES_PER_SAMPLE = 16
/** A still picture with silence has samples of a few bytes. */
const FREE_HEAD_BYTES = 512 * 1024

/** @throws Mp4Error */
export function checkPlaces(
  { tracks }: Movie,
  { mdats, fileBytes }: { mdats: readonly FileExtent[]; fileBytes: number },
): void {
  const samples = tracks.reduce((sum, track) => sum + track.samples.count, 0)
  if (samples * BYTES_PER_SAMPLE > fileBytes + FREE_HEAD_BYTES) {
    throw new Mp4Error('more samples than content')
  }
  const chunks = tracks.map((track) => track.samples.chunks)
  const starts = joined(chunks.map((one) => one.starts)).sort()
  const ends = joined(chunks.map((one) => one.ends)).sort()
  // Of pieces that have nothing in common, the one that begins next also ends next.
  let mdat = 0
  for (let i = 0; i < starts.length; i++) {
    const [start, end] = [starts[i]!, ends[i]!]
    if (end > (starts[i + 1] ?? Number.POSITIVE_INFINITY)) throw new Mp4Error('samples overlap')
    while (mdat < mdats.length && end > mdats[mdat]!.end) mdat += 1
    if (start < (mdats[mdat]?.start ?? Number.POSITIVE_INFINITY)) {
      throw new Mp4Error('samples beyond the data')
    }
  }
}

function joined(parts: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}
