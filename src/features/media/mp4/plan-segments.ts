// Plans where to cut a video: at pictures where decoding can begin, every few seconds. Sound is cut at the
// same times.

import { Mp4Error } from './boxes.ts'
import type { Movie, Track } from './read-movie.ts'

/** Samples from `from` up to but excluding `to`. */
export type Run = { track: Track; from: number; to: number }

export type Segment = { durationSeconds: number; runs: Run[] }

const SEGMENT_SECONDS = 4
/** Four hours. */
const MAX_SEGMENTS = 3600

/** @throws Mp4Error if there would be too many segments. */
export function planSegments({ tracks }: Movie): Segment[] {
  const [leader] = tracks // the picture track if there is one
  const starts = cutsOf(leader!)
  if (starts.length > MAX_SEGMENTS) throw new Mp4Error('too long')
  const times = starts.map((sample) => secondsOf(leader!, sample))
  const end = Math.max(...tracks.map((track) => secondsOf(track, track.samples.count)))
  return starts.map((_, i) => {
    const until = times[i + 1] ?? Number.POSITIVE_INFINITY
    const from = i === 0 ? Number.NEGATIVE_INFINITY : times[i]!
    return {
      durationSeconds: Math.max(0, (times[i + 1] ?? end) - times[i]!),
      runs: tracks.map((track) => ({
        track,
        from: firstAt(track, from),
        to: firstAt(track, until),
      })),
    }
  })
}

/**
 * A sample's decoding time on the common clock; for the index past the last sample, the track's
 * end.
 */
function secondsOf(track: Track, sample: number): number {
  const { samples, timescale, shift } = track
  const last = samples.count - 1
  const time =
    sample > last ? samples.times[last]! + samples.durations[last]! : samples.times[sample]!
  return (time + (track.kind === 'audio' ? shift : 0)) / timescale
}

function cutsOf(track: Track): number[] {
  const cuts = [0]
  for (let i = 1; i < track.samples.count; i++) {
    if (track.samples.isSync[i] === 0) continue
    if (secondsOf(track, i) - secondsOf(track, cuts.at(-1)!) >= SEGMENT_SECONDS) cuts.push(i)
  }
  return cuts
}

/** Returns the first sample at or after a time. Sound before the start (priming) is skipped. */
function firstAt(track: Track, seconds: number): number {
  const beginning = track.kind === 'audio' ? Math.max(0, seconds) : seconds
  let low = 0
  let high = track.samples.count
  while (low < high) {
    const middle = (low + high) >>> 1
    if (secondsOf(track, middle) < beginning) low = middle + 1
    else high = middle
  }
  return low
}
