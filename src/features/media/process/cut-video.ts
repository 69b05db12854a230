// Prepares a video for streaming (HTTP Live Streaming, RFC 8216): cuts the uploaded quality into fragments of
// a few seconds. Nothing is re-encoded, so it costs one read and one write of the file. The tables are
// checked before the first byte is written (mp4/check-offsets.ts), so the result's size is bounded by the
// video's.

import { closeSync, fstatSync, openSync } from 'node:fs'
import { HEAD_BYTES } from '../cache/cache-entry.ts'
import { Mp4Error } from '../mp4/boxes.ts'
import { planCut } from '../mp4/plan-cut.ts'
import { RefusedBlob, type VideoJob } from './jobs.ts'
import { writeCut } from './write-cut.ts'

/** @throws RefusedBlob */
export function cutVideo({ from, to }: VideoJob): void {
  const source = openSync(from, 'r')
  try {
    const length = fstatSync(source).size - HEAD_BYTES
    const mp4 = { fd: source, begin: HEAD_BYTES, length }
    writeCut(mp4, planCut(mp4), { to })
  } catch (error) {
    if (!(error instanceof Mp4Error)) throw error
    const message = `the video cannot be cut: ${error.message}`
    throw new RefusedBlob('NotStreamable', message, { cause: error })
  } finally {
    closeSync(source)
  }
}
