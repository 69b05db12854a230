// A fragment of a fragmented MP4: what its samples are, then their bytes, track by track (ISO/IEC 14496-12
// §8.8). Times of pictures stay those of decoding, with a signed delay until they are shown; so an edit
// list, which players read in different ways, is not needed.

import { makeBox, makeFullBox } from './boxes.ts'
import type { Run, Segment } from './plan-segments.ts'

/** Of `trun`: the place of the data, and of each sample duration, size, flags and delay. */
const RUN_FLAGS = 0x1 | 0x100 | 0x200 | 0x400 | 0x800
const DEFAULT_BASE_IS_MOOF = 0x020000
const BEGINS_ANYTHING = 0x02000000
const NEEDS_OTHERS = 0x01010000

/**
 * @param number - from 0.
 * @param bodies - the samples' bytes of each run, in its order.
 */
export function writeSegment(segment: Segment, number: number, bodies: Buffer[]): Buffer {
  const runs = segment.runs
    .map((run, i) => ({ run, body: bodies[i] ?? Buffer.alloc(0) }))
    .filter(({ run }) => run.to > run.from)
  const moofBytes = makeMoof(runs, number, 0).length
  return Buffer.concat([
    makeMoof(runs, number, moofBytes + 8),
    makeBox('mdat', ...runs.map(({ body }) => body)),
  ])
}

/** @param dataAt - where the first sample's bytes begin, from the start of this box. */
function makeMoof(runs: { run: Run; body: Buffer }[], number: number, dataAt: number): Buffer {
  let at = dataAt
  const fragments = runs.map(({ run, body }) => {
    const fragment = trackFragment(run, at)
    at += body.length
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
