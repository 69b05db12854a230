// Reads from an MP4 in a file what is wanted of it, and no more: its `moov` box, wherever that stands, and
// the bytes of samples.

import type { FileHandle } from 'node:fs/promises'
import { BOX_HEAD_BYTES, type Box, Mp4Error, readBoxHead } from './boxes.ts'
import type { Run } from './plan-segments.ts'

/** A file of which the first `begin` bytes are something else. */
export type Mp4File = { file: FileHandle; begin: number; length: number }

const MAX_TOP_BOXES = 100
const MAX_MOOV_BYTES = 8 << 20
const MAX_RUN_BYTES = 64 << 20

export type Layout = { moov: Buffer; mdats: { start: number; end: number }[] }

/** The whole `moov` box, and where sample data stands. @throws Mp4Error where there is no usable head. */
export async function readLayout(mp4: Mp4File): Promise<Layout> {
  const boxes = await topBoxes(mp4)
  if (boxes.some(({ type }) => type === 'moof')) throw new Mp4Error('already fragmented')
  const moov = boxes.find(({ type }) => type === 'moov')
  if (!moov) throw new Mp4Error('no head')
  if (moov.end - moov.start > MAX_MOOV_BYTES) throw new Mp4Error('the head is too long')
  return {
    moov: await readBytes(mp4, moov.start, moov.end - moov.start),
    mdats: boxes
      .filter(({ type }) => type === 'mdat')
      .map(({ body, end }) => ({ start: body, end })),
  }
}

/** What is behind the first fragment is not looked at. */
async function topBoxes(mp4: Mp4File): Promise<Box[]> {
  const boxes: Box[] = []
  for (let at = 0; at + 8 <= mp4.length; at = boxes.at(-1)!.end) {
    if (boxes.length === MAX_TOP_BOXES) throw new Mp4Error('too many boxes')
    const box = await topBox(mp4, at)
    boxes.push(box)
    if (box.type === 'moof') break
  }
  return boxes
}

/** The samples' bytes one after the other. @throws Mp4Error where they stand beyond the file. */
export async function readRun(mp4: Mp4File, { track, from, to }: Run): Promise<Buffer> {
  const { offsets, sizes } = track.samples
  let first = Number.POSITIVE_INFINITY
  let last = 0
  let total = 0
  for (let i = from; i < to; i++) {
    first = Math.min(first, offsets[i]!)
    last = Math.max(last, offsets[i]! + sizes[i]!)
    total += sizes[i]!
  }
  if (to <= from) return Buffer.alloc(0)
  if (last > mp4.length) throw new Mp4Error('samples beyond the end')
  if (last - first > MAX_RUN_BYTES || total > MAX_RUN_BYTES) throw new Mp4Error('too long a piece')
  const span = await readBytes(mp4, first, last - first)
  const body = Buffer.allocUnsafe(total)
  let at = 0
  for (let i = from; i < to; i++) {
    const start = offsets[i]! - first
    at += span.copy(body, at, start, start + sizes[i]!)
  }
  return body
}

async function topBox(mp4: Mp4File, at: number): Promise<Box> {
  const head = await readBytes(mp4, at, Math.min(BOX_HEAD_BYTES, mp4.length - at))
  return readBoxHead(head, 0, { start: at, limit: mp4.length })
}

async function readBytes({ file, begin }: Mp4File, at: number, count: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(count), 0, count, begin + at)
  if (bytesRead < count) throw new Mp4Error('the file breaks off')
  return buffer
}
