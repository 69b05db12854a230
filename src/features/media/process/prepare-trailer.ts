// Prepares the operator's trailer in one of its forms: cut like videos, as MPEG-TS if it follows MPEG-TS, and
// without sound if it follows a silent video. It has its parameter sets in its pictures, too: FFmpeg skips
// the head of what follows a discontinuity, and would decode it as the video before.

import { hash } from 'node:crypto'
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'
import { Mp4Error } from '../mp4/boxes.ts'
import { withParameterSets } from '../mp4/parameter-sets.ts'
import { planCut, planPieces } from '../mp4/plan-cut.ts'
import { planSegments } from '../mp4/plan-segments.ts'
import type { Movie } from '../mp4/read-movie.ts'
import { writeTs } from '../mpegts/write-ts.ts'
import { RefusedBlob, type TrailerJob } from './jobs.ts'
import { writeCut, writeCutFile } from './write-cut.ts'

/** @throws RefusedBlob */
export function prepareTrailer({ from, to, form, digest }: TrailerJob): void {
  const fd = openSync(from, 'r')
  try {
    const bytes = readFileSync(fd)
    if (hash('sha256', bytes) !== digest) {
      throw new RefusedBlob('TrailerChanged', 'the trailer file has changed since the start')
    }
    const mp4 = { fd, begin: 0, length: fstatSync(fd).size }
    const plan = planCut(mp4, form.hasSound ? undefined : withoutSound)
    if (form.container === 'mp4') {
      const { movie, samplesOf } = withParameterSets(plan.movie, bytes)
      return writeCut(mp4, planPieces(movie, planSegments(movie)), { to, samplesOf })
    }
    const segments = writeTs(plan, bytes)
    const lines = segments.map(({ length }, i) => {
      return { seconds: plan.pieces[i]!.segment.durationSeconds, bytes: length }
    })
    writeCutFile(to, { init: 0, segments: lines }, (output) => segments.forEach(output.append))
  } catch (error) {
    if (!(error instanceof Mp4Error || error instanceof RangeError)) throw error
    throw new RefusedBlob('NotStreamable', `the trailer cannot be cut: ${error.message}`)
  } finally {
    closeSync(fd)
  }
}

function withoutSound({ mvhd, tracks }: Movie): Movie {
  return { mvhd, tracks: tracks.filter(({ kind }) => kind === 'video') }
}
