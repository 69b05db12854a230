// Writes a cut video as MPEG-TS, the format of video services: each segment starts with the tables, followed
// by pictures and sound in time order (ISO/IEC 13818-1 §2.4.3.6). For short videos, which fit in memory.

import { boxesBetween } from '../mp4/boxes.ts'
import type { CutPlan } from '../mp4/plan-cut.ts'
import type { Run, Segment } from '../mp4/plan-segments.ts'
import type { Track } from '../mp4/read-movie.ts'
import { audioConfig, avcConfig } from '../mp4/sample-entry.ts'
import { createFrameWriter, createPictureWriter } from './elementary.ts'
import { createPackets, type Packets, type Stream } from './packets.ts'

/** Part of a stream, with its presentation and decoding times. */
type Unit = { pid: number; pts: number; dts: number; isEntry: boolean; body: Buffer }
type Encode = (sample: Buffer, isSync: boolean) => Buffer
/** A track on the stream's clock. */
type Timed = { encode: Encode; dtsOf(sample: number): number; ptsOf(sample: number): number }
type Source = { bytes: Buffer; tracks: ReadonlyMap<Track, Timed> }

const CLOCK = 90_000
/** How far the clock is behind decoding times. */
const AHEAD = CLOCK / 2
const PICTURES: Stream = { pid: 0x100, type: 0x1b }
const SOUND: Stream = { pid: 0x101, type: 0x0f }
/** Frames per PES packet, so that not each one ends in a half-empty packet. */
const FRAMES_TOGETHER = 6

/**
 * @param bytes - the whole file
 * @returns the segments
 * @throws Mp4Error, RangeError for unsupported structures
 */
export function writeTs({ movie, pieces }: CutPlan, bytes: Buffer): Buffer[] {
  const packets = createPackets()
  const streams = movie.tracks.map(({ kind }) => (kind === 'video' ? PICTURES : SOUND))
  const first = Math.min(...movie.tracks.map(beginOf))
  const timed = (track: Track): Timed => {
    const { samples, shift, timescale } = track
    const delay = leastDelay(track)
    const ticks = (time: number) => Math.round(((time + shift) / timescale - first) * CLOCK) + CLOCK
    return {
      encode: encoderOf(track),
      dtsOf: (sample) => ticks(samples.times[sample]! + delay),
      ptsOf: (sample) => ticks(samples.times[sample]! + samples.delays[sample]!),
    }
  }
  const source = { bytes, tracks: new Map(movie.tracks.map((track) => [track, timed(track)])) }
  return pieces.map(({ segment }) => {
    const units = unitsOf(segment, source).map((unit) => packUnit(packets, unit))
    return Buffer.concat([packets.tables(streams, PICTURES.pid), ...units])
  })
}

function encoderOf({ kind, boxes: { stsd } }: Track): Encode {
  const entry = boxesBetween(stsd, 16, stsd.length)[0]
  if (!entry) throw new RangeError('no sample entry')
  if (kind === 'audio') return createFrameWriter(audioConfig(stsd, entry))
  const write = createPictureWriter(avcConfig(stsd, entry))
  return (sample, isSync) => write({ sample, isSync })
}

/** MP4 allows presentation before decoding, by a signed delay; a transport stream does not. */
function leastDelay({ samples: { delays } }: Track): number {
  return delays.reduce((least, delay) => Math.min(least, delay), 0)
}

/** Decoding time of the first sample, in seconds. */
function beginOf(track: Track): number {
  return (track.samples.times[0]! + track.shift + leastDelay(track)) / track.timescale
}

function unitsOf({ runs }: Segment, source: Source): Unit[] {
  const units = runs.flatMap((run) =>
    run.track.kind === 'video' ? pictures(run, source) : sound(run, source),
  )
  return units.sort((a, b) => a.dts - b.dts)
}

function pictures({ track, from, to }: Run, { bytes, tracks }: Source): Unit[] {
  const { encode, dtsOf, ptsOf } = tracks.get(track)!
  const units: Unit[] = []
  for (let i = from; i < to; i++) {
    const isEntry = track.samples.isSync[i] === 1
    const body = encode(sampleAt(track, i, bytes), isEntry)
    units.push({ pid: PICTURES.pid, pts: ptsOf(i), dts: dtsOf(i), isEntry, body })
  }
  return units
}

function sound({ track, from, to }: Run, { bytes, tracks }: Source): Unit[] {
  const { encode, ptsOf } = tracks.get(track)!
  const units: Unit[] = []
  for (let i = from; i < to; i += FRAMES_TOGETHER) {
    const frames: Buffer[] = []
    for (let j = i; j < Math.min(to, i + FRAMES_TOGETHER); j++) {
      frames.push(encode(sampleAt(track, j, bytes), true))
    }
    const body = Buffer.concat(frames)
    units.push({ pid: SOUND.pid, pts: ptsOf(i), dts: ptsOf(i), isEntry: true, body })
  }
  return units
}

function sampleAt({ samples: { offsets, sizes } }: Track, sample: number, bytes: Buffer): Buffer {
  return bytes.subarray(offsets[sample]!, offsets[sample]! + sizes[sample]!)
}

function packUnit(packets: Packets, { pid, pts, dts, isEntry, body }: Unit): Buffer {
  const isPicture = pid === PICTURES.pid
  const times = isPicture ? [stamp(3, pts), stamp(1, dts)] : [stamp(2, pts)]
  const rest = Buffer.concat([
    Buffer.from([0x84, isPicture ? 0xc0 : 0x80, times.length * 5]),
    ...times,
    body,
  ])
  const head = Buffer.from([0, 0, 1, isPicture ? 0xe0 : 0xc0, 0, 0])
  // Pictures may exceed the length field, and leave it at 0.
  if (!isPicture) head.writeUInt16BE(rest.length, 4)
  const clock = isPicture ? dts - AHEAD : undefined
  return packets.payload(pid, Buffer.concat([head, rest]), { clock, isEntry })
}

/** Encodes a timestamp in five bytes, with its kind (§2.4.3.7). */
function stamp(kind: number, time: number): Buffer {
  const high = Math.floor(time / 2 ** 30) & 7
  return Buffer.from([
    (kind << 4) | (high << 1) | 1,
    (time >>> 22) & 0xff,
    ((time >>> 14) & 0xfe) | 1,
    (time >>> 7) & 0xff,
    ((time << 1) & 0xfe) | 1,
  ])
}
