// A video becomes one that can be streamed (HTTP Live Streaming, RFC 8216): the one quality that was
// uploaded, cut into fragments of a few seconds. Nothing is encoded anew, so it costs a read and a write of
// the file. What its tables say is checked before the first byte is written (mp4/check-places.ts), so that
// the result is bounded by the size of the video.

import { closeSync, fstatSync, openSync } from 'node:fs'
import { HEAD_BYTES } from '../cache-entry.ts'
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
