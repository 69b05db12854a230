// A fragment of a fragmented MP4: a description of its samples, then their bytes, track by track (ISO/IEC
// 14496-12 §8.8). Pictures keep their decoding times, with a signed delay to presentation, so no edit list is
// needed, which players interpret differently.

import { makeBox, makeFullBox } from './boxes.ts'
import type { Run, Segment } from './plan-segments.ts'

/** Fields of `trun`: the data offset, and each sample's duration, size, flags and delay. */
const RUN_FLAGS = 0x1 | 0x100 | 0x200 | 0x400 | 0x800
const DEFAULT_BASE_IS_MOOF = 0x020000
const BEGINS_ANYTHING = 0x02000000
const NEEDS_OTHERS = 0x01010000

/**
 * Returns all of a fragment except the samples' bytes, which follow it.
 * @param number - from 0
 */
export function writeSegmentHead(segment: Segment, number: number): Buffer {
  const runs = segment.runs.filter(({ from, to }) => to > from)
  const moofBytes = makeMoof(runs, number, 0).length
  const data = Buffer.alloc(8)
  data.writeUInt32BE(8 + bytesOf(segment))
  data.write('mdat', 4, 'latin1')
  return Buffer.concat([makeMoof(runs, number, moofBytes + data.length), data])
}

/** Bytes of all samples together. */
export function bytesOf({ runs }: Segment): number {
  return runs.reduce((sum, run) => sum + bytesOfRun(run), 0)
}

function bytesOfRun({ track, from, to }: Run): number {
  return track.samples.sizes.subarray(from, to).reduce((sum, size) => sum + size, 0)
}

/** @param dataAt - offset of the first sample's bytes from the start of this box. */
function makeMoof(runs: Run[], number: number, dataAt: number): Buffer {
  let at = dataAt
  const fragments = runs.map((run) => {
    const fragment = trackFragment(run, at)
    at += bytesOfRun(run)
    return fragment
  })
  return makeBox('moof', makeFullBox('mfhd', {}, [number + 1]), ...fragments)
}

function trackFragment({ track, from, to }: Run, dataAt: number): Buffer {
  const { samples, shift, kind } = track
  const isVideo = kind === 'video'
  const start = samples.times[from]! + (isVideo ? 0 : shift)
  const numbers = [to - from, dataAt]
  for (let i = from; i < to; i++) {
    const flags = samples.isSync[i] === 1 ? BEGINS_ANYTHING : NEEDS_OTHERS
    const delay = samples.delays[i]! + (isVideo ? shift : 0)
    numbers.push(samples.durations[i]!, samples.sizes[i]!, flags, delay)
  }
  return makeBox(
    'traf',
    makeFullBox('tfhd', { flags: DEFAULT_BASE_IS_MOOF }, [track.id]),
    makeFullBox('tfdt', { version: 1 }, [Math.floor(start / 2 ** 32), start % 2 ** 32]),
    makeFullBox('trun', { version: 1, flags: RUN_FLAGS }, numbers),
  )
}
