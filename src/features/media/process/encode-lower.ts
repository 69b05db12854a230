// Encodes a lower quality of a video that was cut here: smaller pictures, the same sound and the same
// segments, so that players can switch at any segment. Uses the cut video on disk, without any fetch.

import { open } from 'node:fs/promises'
import { HEAD_BYTES } from '../cache/cache-entry.ts'
import { readIndex } from '../cut-file.ts'
import { boxesBetween, Mp4Error, makeBox } from '../mp4/boxes.ts'
import { planPieces } from '../mp4/plan-cut.ts'
import type { Segment } from '../mp4/plan-segments.ts'
import { type Mp4File, readBytes } from '../mp4/read-file.ts'
import { type CutMovie, readFragments } from '../mp4/read-fragments.ts'
import type { Track } from '../mp4/read-movie.ts'
import { avcConfig, pictureEntry, VISUAL_BYTES } from '../mp4/sample-entry.ts'
import { type LowerJob, RefusedBlob } from './jobs.ts'
import { transcode } from './transcode.ts'
import { writeCut } from './write-cut.ts'

type Pictures = Awaited<ReturnType<typeof transcode>>['pictures']

const MAX_SAMPLE_BYTES = 16 << 20
/** Bits per pixel that x264 needs for camera and screen content. */
const BITS_PER_PIXEL = 0.08
/** Greatest share of the source's bit rate, as the purpose is to need less. */
const MOST_OF_SOURCE = 0.6
const LEAST_BITRATE = 32_000
/** Allowance for an encoder's own metadata, if pictures take next to no bytes. */
const FREE_BYTES = 256 * 1024
const MAX_FRAME_RATE = 120

/** @throws RefusedBlob */
export async function encodeLower({ from, to, shortSide }: LowerJob): Promise<void> {
  const file = await open(from, 'r')
  try {
    const length = (await file.stat()).size - HEAD_BYTES
    const cut = await readIndex(file, { at: HEAD_BYTES, length })
    const mp4 = { fd: file.fd, begin: HEAD_BYTES, length }
    await encodeTo(mp4, { movie: readFragments(mp4, cut), shortSide, to })
  } catch (error) {
    if (!(error instanceof Mp4Error || error instanceof RangeError)) throw error
    throw new RefusedBlob('NotEncodable', `no lower quality can be made: ${error.message}`)
  } finally {
    await file.close()
  }
}

async function encodeTo(
  mp4: Mp4File,
  { movie, shortSide, to }: { movie: CutMovie; shortSide: number; to: string },
): Promise<void> {
  const track = movie.tracks.find(({ kind, samples }) => kind === 'video' && samples.count > 0)
  if (!track) throw new Mp4Error('it has no video track')
  const entry = pictureEntry(track.boxes.stsd)
  const size = lowerSize(entry, shortSide)
  const cuts = movie.segments.map(({ runs }) => firstPresented(track, runs))
  const { config, pictures } = await transcode({
    samples: samplesOf(mp4, track),
    config: avcConfig(track.boxes.stsd, entry.box),
    presented: presentationTimes(track),
    cuts,
    to: { ...size, ...ratesOf(track, size) },
    maxBytes: sum(track.samples.sizes) + FREE_BYTES,
  })
  const lower = lowerTrack(track, pictures, stsdOf(track.boxes.stsd, { config, size }))
  const made = withTrack(movie, { track, lower, cuts })
  writeCut(mp4, planPieces(made, made.segments), {
    to,
    samplesOf(run) {
      if (run.track === lower) return pictures.slice(run.from, run.to).map(({ data }) => data)
    },
  })
}

/** Presentation time at which a segment begins; its first picture is a key picture. */
function firstPresented(track: Track, runs: Segment['runs']): number {
  const { times, delays } = track.samples
  const from = runs.find((run) => run.track === track)?.from ?? 0
  return Math.max(0, times[from]! + delays[from]!)
}

function presentationTimes({ samples: { times, delays } }: Track): Float64Array {
  return times.map((time, i) => time + delays[i]!).sort()
}

/** Even sides, as H.264 needs here. */
function lowerSize({ width, height }: { width: number; height: number }, shortSide: number) {
  const scale = shortSide / Math.min(width, height)
  if (scale >= 1) throw new Mp4Error('it has no larger picture')
  const even = (side: number) => Math.max(2, Math.round((side * scale) / 2) * 2)
  return { width: even(width), height: even(height) }
}

function ratesOf(
  { samples, timescale }: Track,
  { width, height }: Record<'width' | 'height', number>,
) {
  const last = samples.count - 1
  const seconds = Math.max(0.1, (samples.times[last]! + samples.durations[last]!) / timescale)
  const framerate = Math.min(MAX_FRAME_RATE, Math.max(1, Math.round(samples.count / seconds)))
  const present = (sum(samples.sizes) * 8) / seconds
  const fit = width * height * framerate * BITS_PER_PIXEL
  const bitrate = Math.max(LEAST_BITRATE, Math.round(Math.min(fit, present * MOST_OF_SOURCE)))
  return { framerate, bitrate }
}

function* samplesOf(mp4: Mp4File, { samples }: Track) {
  for (let i = 0; i < samples.count; i++) {
    const length = samples.sizes[i]!
    if (length > MAX_SAMPLE_BYTES) throw new Mp4Error('a frame is too large')
    const data = readBytes(mp4, samples.offsets[i]!, length)
    yield { isSync: samples.isSync[i] === 1, data }
  }
}

/** Pictures are presented in decoding order, so each is decoded when it is presented. */
function lowerTrack(track: Track, pictures: Pictures, stsd: Buffer): Track {
  const count = pictures.length
  const times = Float64Array.from(pictures, ({ presentedAt }) => presentedAt)
  if (times.some((time, i) => i > 0 && time <= times[i - 1]!))
    throw new Mp4Error('frames out of order')
  const lastDuration = track.samples.durations[track.samples.count - 1]!
  const durations = Uint32Array.from(
    times,
    (time, i) => (times[i + 1] ?? time + lastDuration) - time,
  )
  return {
    ...track,
    boxes: { ...track.boxes, stsd },
    samples: {
      count,
      times,
      durations,
      offsets: new Float64Array(count),
      sizes: Uint32Array.from(pictures, ({ data }) => data.length),
      delays: new Int32Array(count),
      isSync: Uint8Array.from(pictures, ({ isKey }) => Number(isKey)),
      chunks: { starts: new Float64Array(), ends: new Float64Array() },
    },
  }
}

function withTrack(
  { mvhd, tracks, segments }: CutMovie,
  { track, lower, cuts }: { track: Track; lower: Track; cuts: readonly number[] },
): CutMovie {
  const starts = cuts.map((at, i) => (i === 0 ? 0 : firstFrom(lower, at)))
  return {
    mvhd,
    tracks: tracks.map((item) => (item === track ? lower : item)),
    segments: segments.map(({ durationSeconds, runs }, i) => ({
      durationSeconds,
      runs: runs.map((run) => {
        if (run.track !== track) return run
        return { track: lower, from: starts[i]!, to: starts[i + 1] ?? lower.samples.count }
      }),
    })),
  }
}

function firstFrom({ samples: { times, isSync, count } }: Track, at: number): number {
  const found = times.findIndex((time) => time >= at)
  if (found !== -1 && isSync[found] === 0) throw new Mp4Error('a cut is not at a sync sample')
  return found === -1 ? count : found
}

/**
 * The old entry's fixed part with the new size, the new configuration, and the boxes on pixel
 * aspect and colour.
 */
function stsdOf(
  stsd: Buffer,
  { config, size }: { config: Buffer; size: { width: number; height: number } },
): Buffer {
  const { box } = pictureEntry(stsd)
  const fixed = Buffer.from(stsd.subarray(box.body, box.body + VISUAL_BYTES))
  fixed.writeUInt16BE(size.width, 24)
  fixed.writeUInt16BE(size.height, 26)
  const presented = boxesBetween(stsd, box.body + VISUAL_BYTES, box.end)
    .filter(({ type }) => type === 'pasp' || type === 'colr')
    .map(({ start, end }) => stsd.subarray(start, end))
  const entry = makeBox(box.type, fixed, makeBox('avcC', config), ...presented)
  return makeBox('stsd', Buffer.from([0, 0, 0, 0, 0, 0, 0, 1]), entry)
}

function sum(sizes: Uint32Array): number {
  return sizes.reduce((total, value) => total + value, 0)
}
