// The parameter sets of H.264 pictures (ISO/IEC 14496-15 §5.3.3.1): an MP4 keeps them in its head alone. A
// player that skips a second head, as FFmpeg does, needs them before the pictures themselves.

import { Mp4Error } from './boxes.ts'
import type { Run } from './plan-segments.ts'
import type { Movie, Track } from './read-movie.ts'
import { avcConfig, pictureEntry } from './sample-entry.ts'

/**
 * The record's sequence parameter sets, then its picture parameter sets.
 * @param config - the decoder configuration record (sample-entry.ts)
 * @throws Mp4Error, RangeError
 */
export function parameterSets(config: Buffer): Buffer[] {
  const sets: Buffer[] = []
  let at = 5
  for (const mask of [0x1f, 0xff]) {
    const count = config.readUInt8(at) & mask
    at += 1
    for (let i = 0; i < count; i++) {
      const length = config.readUInt16BE(at)
      sets.push(cutOut(config, at + 2, length))
      at += 2 + length
    }
  }
  return sets
}

/** Bytes of the length before each unit of a sample. */
export function lengthBytesOf(config: Buffer): number {
  return (config.readUInt8(4) & 3) + 1
}

/** @throws Mp4Error */
export function cutOut(bytes: Buffer, at: number, length: number): Buffer {
  if (length === 0 || at + length > bytes.length) throw new Mp4Error('a sample is truncated')
  return bytes.subarray(at, at + length)
}

/**
 * The movie with its parameter sets before each picture at which decoding can begin.
 * @param bytes - the whole file
 * @throws Mp4Error, RangeError
 */
export function withParameterSets(movie: Movie, bytes: Buffer) {
  const track = movie.tracks.find(({ kind }) => kind === 'video')
  const before = track ? setsInSample(track) : Buffer.alloc(0)
  const longer = track && { ...track, samples: withLonger(track.samples, before.length) }
  return {
    movie: { ...movie, tracks: movie.tracks.map((item) => (item === track ? longer! : item)) },
    /** The samples of a run of pictures; undefined for sound, which is as in the file. */
    samplesOf(run: Run): Buffer[] | undefined {
      if (!track || run.track !== longer) return undefined
      const { offsets, sizes, isSync } = track.samples
      return Array.from({ length: run.to - run.from }, (_, i) => {
        const sample = run.from + i
        const own = cutOut(bytes, offsets[sample]!, sizes[sample]!)
        return isSync[sample] === 1 ? Buffer.concat([before, own]) : own
      })
    },
  }
}

function setsInSample({ boxes: { stsd } }: Track): Buffer {
  const config = avcConfig(stsd, pictureEntry(stsd).box)
  const lengthBytes = lengthBytesOf(config)
  return Buffer.concat(
    parameterSets(config).flatMap((set) => {
      const length = Buffer.alloc(lengthBytes)
      length.writeUIntBE(set.length, 0, lengthBytes)
      return [length, set]
    }),
  )
}

function withLonger(samples: Track['samples'], more: number): Track['samples'] {
  const { sizes, isSync } = samples
  return { ...samples, sizes: sizes.map((size, i) => (isSync[i] === 1 ? size + more : size)) }
}
