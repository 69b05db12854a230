// Checks that samples lie within `mdat` boxes and that no two share a byte, so that a cut is never larger
// than its file, whatever the tables say. The overhead per sample is bounded separately.

import { Mp4Error } from './boxes.ts'
import type { Movie } from './read-movie.ts'

type FileExtent = { start: number; end: number }

/** Of one sample, in its fragment's head. */
const BYTES_PER_SAMPLE = 16
/** A still picture with silence has samples of a few bytes. */
const FREE_HEAD_BYTES = 512 * 1024

/** @throws Mp4Error */
export function checkOffsets(
  { tracks }: Movie,
  { mdats, fileBytes }: { mdats: readonly FileExtent[]; fileBytes: number },
): void {
  const samples = tracks.reduce((sum, track) => sum + track.samples.count, 0)
  if (samples * BYTES_PER_SAMPLE > fileBytes + FREE_HEAD_BYTES) {
    throw new Mp4Error('too many samples for its size')
  }
  const chunks = tracks.map((track) => track.samples.chunks)
  const starts = joined(chunks.map((chunk) => chunk.starts)).sort()
  const ends = joined(chunks.map((chunk) => chunk.ends)).sort()
  // Disjoint ranges that begin in order also end in order.
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
