// Reads a video's `moov` box: its picture and sound tracks, and the boxes of each that are copied into a new
// head. Everything else in it (locations, names, thumbnails, other tracks) is dropped.

import { type Box, boxesBetween, findBox, Mp4Error } from './boxes.ts'
import { countSamples, readSamples, type Samples } from './sample-table.ts'

export type Track = {
  id: number
  kind: 'video' | 'audio'
  /** Units per second. */
  timescale: number
  /** Added to a sample's time to get its presentation time, in the track's units. */
  shift: number
  samples: Samples
  /** Whole boxes to copy. */
  boxes: { tkhd: Buffer; mdhd: Buffer; hdlr: Buffer; mediaHead: Buffer; dinf: Buffer; stsd: Buffer }
}

export type Movie = { mvhd: Buffer; tracks: Track[] }

const MAX_TRACKS = 16
const MAX_EDITS = 16
const MAX_SECONDS = 86_400
const HANDLERS = { video: 'vide', audio: 'soun' } as const

/**
 * @param moov - the whole box
 * @throws Mp4Error if there is neither picture nor sound, or data is inconsistent.
 */
export function readMovie(moov: Buffer): Movie {
  try {
    return readChecked(moov)
  } catch (error) {
    if (error instanceof RangeError) throw new Mp4Error('a table is truncated', { cause: error })
    throw error
  }
}

function readChecked(moov: Buffer): Movie {
  const [complete] = boxesBetween(moov, 0, moov.length)
  const head = complete && findBox(moov, complete, 'mvhd')
  if (!complete || !head) throw new Mp4Error('no moov or mvhd box')
  const traks = boxesBetween(moov, complete.body, complete.end).filter(
    ({ type }) => type === 'trak',
  )
  if (traks.length > MAX_TRACKS) throw new Mp4Error('too many tracks')
  const movieScale = moov.readUInt32BE(head.body + (moov.readUInt8(head.body) === 1 ? 20 : 12))
  // One track of each kind: players select no others, so sending them would be wasted.
  const tracks = (['video', 'audio'] as const).flatMap((kind) => {
    const trak = traks.find((trak) => isUsable(moov, trak, kind))
    return trak ? readTrack(moov, { trak, kind, movieScale }) : []
  })
  if (tracks.length === 0) throw new Mp4Error('no usable video or audio')
  return { mvhd: moov.subarray(head.start, head.end), tracks }
}

function isUsable(moov: Buffer, trak: Box, kind: Track['kind']): boolean {
  return isOf(moov, trak, kind) && countSamples(moov, sampleTables(moov, trak)) > 0
}

export function isOf(moov: Buffer, trak: Box, kind: Track['kind']): boolean {
  const hdlr = findBox(moov, trak, 'mdia', 'hdlr')
  if (!hdlr) return false
  return moov.toString('latin1', hdlr.body + 8, hdlr.body + 12) === HANDLERS[kind]
}

function sampleTables(moov: Buffer, trak: Box): Box {
  const stbl = findBox(moov, trak, 'mdia', 'minf', 'stbl')
  if (!stbl) throw new Mp4Error('no stbl')
  return stbl
}

function readTrack(
  moov: Buffer,
  { trak, kind, movieScale }: { trak: Box; kind: Track['kind']; movieScale: number },
): Track {
  const head = readTrackHead(moov, trak, kind)
  if (movieScale === 0) throw new Mp4Error('the timescale is 0')
  const elst = findBox(moov, trak, 'edts', 'elst')
  const track = {
    ...head,
    shift: elst ? readShift(moov, elst, head.timescale / movieScale) : 0,
    samples: readSamples(moov, sampleTables(moov, trak)),
  }
  checkTimes(track)
  return track
}

/**
 * Reads a track without its samples.
 * @throws Mp4Error, or RangeError if a box is too short.
 */
export function readTrackHead(
  moov: Buffer,
  trak: Box,
  kind: Track['kind'],
): Omit<Track, 'samples' | 'shift'> {
  const copy = (...path: string[]) => {
    const box = findBox(moov, trak, ...path)
    if (!box) throw new Mp4Error(`no ${path.at(-1)}`)
    return moov.subarray(box.start, box.end)
  }
  const boxes = {
    tkhd: copy('tkhd'),
    mdhd: copy('mdia', 'mdhd'),
    hdlr: copy('mdia', 'hdlr'),
    mediaHead: copy('mdia', 'minf', kind === 'video' ? 'vmhd' : 'smhd'),
    dinf: copy('mdia', 'minf', 'dinf'),
    stsd: copy('mdia', 'minf', 'stbl', 'stsd'),
  }
  const timescale = boxes.mdhd.readUInt32BE(8 + (boxes.mdhd.readUInt8(8) === 1 ? 20 : 12))
  if (timescale === 0) throw new Mp4Error('the timescale is 0')
  const id = boxes.tkhd.readUInt32BE(8 + (boxes.tkhd.readUInt8(8) === 1 ? 20 : 12))
  return { id, kind, timescale, boxes }
}

/** Rejects implausible times, whose numbers would not fit into the new head. */
function checkTimes({ timescale, shift, samples: { times, durations, count } }: Track): void {
  const length = times[count - 1]! + durations[count - 1]!
  if (Math.max(length, Math.abs(shift)) > timescale * MAX_SECONDS) throw new Mp4Error('too long')
}

/**
 * Reads the parts of an edit list that players honour: a pause before the track, and a cut at its
 * start.
 */
function readShift(moov: Buffer, elst: Box, unitsPerMovieUnit: number): number {
  const isLong = moov.readUInt8(elst.body) === 1
  const count = Math.min(moov.readUInt32BE(elst.body + 4), MAX_EDITS)
  let shift = 0
  for (let i = 0; i < count; i++) {
    const at = elst.body + 8 + i * (isLong ? 20 : 12)
    const duration = isLong ? Number(moov.readBigUInt64BE(at)) : moov.readUInt32BE(at)
    const from = isLong ? Number(moov.readBigInt64BE(at + 8)) : moov.readInt32BE(at + 4)
    if (from >= 0) return shift - from
    shift += Math.round(duration * unitsPerMovieUnit)
  }
  return shift
}
