// Reads what cutting needs from an MP4 file: its `moov` box, wherever it is, the ranges of sample data, and
// the byte ranges of a run of samples.

import { readSync } from 'node:fs'
import { BOX_HEAD_BYTES, type Box, Mp4Error, readBoxHead } from './boxes.ts'
import type { Run } from './plan-segments.ts'

/** A file whose first `begin` bytes are not part of the MP4. */
export type Mp4File = { fd: number; begin: number; length: number }

const MAX_TOP_BOXES = 100
const MAX_MOOV_BYTES = 8 << 20

type Layout = { moov: Buffer; mdats: { start: number; end: number }[] }

/**
 * Reads the whole `moov` box and the ranges of sample data.
 * @throws Mp4Error if there is no usable head.
 */
export function readLayout(mp4: Mp4File): Layout {
  const boxes = topBoxes(mp4)
  if (boxes.some(({ type }) => type === 'moof')) throw new Mp4Error('already fragmented')
  const moov = boxes.find(({ type }) => type === 'moov')
  if (!moov) throw new Mp4Error('no moov or mvhd box')
  if (moov.end - moov.start > MAX_MOOV_BYTES) throw new Mp4Error('the moov box is too large')
  return {
    moov: readBytes(mp4, moov.start, moov.end - moov.start),
    mdats: boxes
      .filter(({ type }) => type === 'mdat')
      .map(({ body, end }) => ({ start: body, end })),
  }
}

/** Stops at the first fragment. */
function topBoxes(mp4: Mp4File): Box[] {
  const boxes: Box[] = []
  for (let at = 0; at + 8 <= mp4.length; at = boxes.at(-1)!.end) {
    if (boxes.length === MAX_TOP_BOXES) throw new Mp4Error('too many boxes')
    const box = topBox(mp4, at)
    boxes.push(box)
    if (box.type === 'moof') break
  }
  return boxes
}

type Extent = { at: number; length: number }

/** Byte ranges of a run's samples, merged where adjacent. */
export function* extentsOf({ track, from, to }: Run): Generator<Extent> {
  const { offsets, sizes } = track.samples
  let open: Extent | undefined
  for (let i = from; i < to; i++) {
    if (open && open.at + open.length === offsets[i]) open.length += sizes[i]!
    else {
      if (open) yield open
      open = { at: offsets[i]!, length: sizes[i]! }
    }
  }
  if (open) yield open
}

function topBox(mp4: Mp4File, at: number): Box {
  const head = readBytes(mp4, at, Math.min(BOX_HEAD_BYTES, mp4.length - at))
  return readBoxHead(head, 0, { start: at, limit: mp4.length })
}

export function readBytes({ fd, begin }: Mp4File, at: number, count: number): Buffer {
  const buffer = Buffer.alloc(count)
  if (readSync(fd, buffer, 0, count, begin + at) < count)
    throw new Mp4Error('the file is truncated')
  return buffer
}
