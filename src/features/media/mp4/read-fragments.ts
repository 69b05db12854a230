// Reads a video that was cut here back from its file: its tracks, and each segment's samples with their
// offsets. Accepts only the form that write-init.ts and write-segment.ts produce; anything else is an error,
// since files on disk can rot.

import type { CutFile } from '../cut-file.ts'
import { type Box, boxesBetween, findBox, Mp4Error } from './boxes.ts'
import type { Segment } from './plan-segments.ts'
import { type Mp4File, readBytes } from './read-file.ts'
import { isOf, readTrackHead, type Track } from './read-movie.ts'

export type CutMovie = { mvhd: Buffer; tracks: Track[]; segments: Segment[] }

/** One sample in a `trun`: duration, size, flags, delay. */
const SAMPLE_BYTES = 16
const SAMPLES_AT = 12
const MAX_HEAD_BYTES = 8 << 20
const NEEDS_OTHERS = 0x01010000

type Growing = Record<'offsets' | 'sizes' | 'times' | 'durations' | 'delays' | 'isSync', number[]>
type Reading = { track: Omit<Track, 'samples' | 'shift'>; samples: Growing }

/** @throws Mp4Error, or RangeError if a box is too short */
export function readFragments(mp4: Mp4File, { dataAt, index }: CutFile): CutMovie {
  const init = readBytes(mp4, dataAt, Math.min(index.init, MAX_HEAD_BYTES))
  const { mvhd, readings } = readInit(init)
  let at = dataAt + index.init
  const ranges = index.segments.map(({ seconds, bytes }) => {
    const before = readings.map(({ samples }) => samples.sizes.length)
    readFragment(mp4, at, readings)
    at += bytes
    return { seconds, before, after: readings.map(({ samples }) => samples.sizes.length) }
  })
  const tracks = readings.map(toTrack)
  const segments = ranges.map(({ seconds, before, after }) => ({
    durationSeconds: seconds,
    runs: tracks.map((track, i) => ({ track, from: before[i]!, to: after[i]! })),
  }))
  return { mvhd, tracks, segments }
}

function readInit(init: Buffer): { mvhd: Buffer; readings: Reading[] } {
  const moov = boxesBetween(init, 0, init.length).find(({ type }) => type === 'moov')
  const mvhd = moov && findBox(init, moov, 'mvhd')
  if (!moov || !mvhd) throw new Mp4Error('no moov or mvhd box')
  const traks = boxesBetween(init, moov.body, moov.end).filter(({ type }) => type === 'trak')
  const readings = traks.map((trak) => {
    const track = readTrackHead(init, trak, isOf(init, trak, 'video') ? 'video' : 'audio')
    const samples = { offsets: [], sizes: [], times: [], durations: [], delays: [], isSync: [] }
    return { track, samples }
  })
  return { mvhd: init.subarray(mvhd.start, mvhd.end), readings }
}

function readFragment(mp4: Mp4File, at: number, readings: readonly Reading[]): void {
  const length = readBytes(mp4, at, 8).readUInt32BE()
  if (length > MAX_HEAD_BYTES) throw new Mp4Error('a segment’s moof box is too large')
  const bytes = readBytes(mp4, at, length)
  const [moof] = boxesBetween(bytes, 0, length)
  if (moof?.type !== 'moof') throw new Mp4Error('a segment has no moof box')
  for (const box of boxesBetween(bytes, moof.body, moof.end)) {
    if (box.type === 'traf') readRun(bytes, { traf: box, at, readings })
  }
}

function readRun(
  bytes: Buffer,
  { traf, at, readings }: { traf: Box; at: number; readings: readonly Reading[] },
): void {
  const [tfhd, tfdt, trun] = ['tfhd', 'tfdt', 'trun'].map((type) => findBox(bytes, traf, type))
  const id = tfhd && bytes.readUInt32BE(tfhd.body + 4)
  const samples = readings.find(({ track }) => track.id === id)?.samples
  if (!samples || !tfdt || !trun) throw new Mp4Error('a segment lacks a box')
  const count = bytes.readUInt32BE(trun.body + 4)
  let time = Number(bytes.readBigUInt64BE(tfdt.body + 4))
  let offset = at + bytes.readInt32BE(trun.body + 8)
  for (let i = 0; i < count; i++) {
    const entry = trun.body + SAMPLES_AT + i * SAMPLE_BYTES
    const [duration, size] = [bytes.readUInt32BE(entry), bytes.readUInt32BE(entry + 4)]
    samples.times.push(time)
    samples.durations.push(duration)
    samples.offsets.push(offset)
    samples.sizes.push(size)
    samples.isSync.push(bytes.readUInt32BE(entry + 8) === NEEDS_OTHERS ? 0 : 1)
    samples.delays.push(bytes.readInt32BE(entry + 12))
    time += duration
    offset += size
  }
}

/** Times and delays are presentation times already, so the shift is 0. */
function toTrack({ track, samples }: Reading): Track {
  return {
    ...track,
    shift: 0,
    samples: {
      count: samples.sizes.length,
      offsets: Float64Array.from(samples.offsets),
      sizes: Uint32Array.from(samples.sizes),
      times: Float64Array.from(samples.times),
      durations: Uint32Array.from(samples.durations),
      delays: Int32Array.from(samples.delays),
      isSync: Uint8Array.from(samples.isSync),
      chunks: { starts: new Float64Array(), ends: new Float64Array() },
    },
  }
}
