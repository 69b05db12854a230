// Everything of a cut video except the samples' bytes: its head, and the head of each segment. Checks the
// tables before the first byte is written.

import { checkOffsets } from './check-offsets.ts'
import { planSegments, type Segment } from './plan-segments.ts'
import { type Mp4File, readLayout } from './read-file.ts'
import { type Movie, readMovie } from './read-movie.ts'
import { writeInit } from './write-init.ts'
import { writeSegmentHead } from './write-segment.ts'

export type CutPlan = { movie: Movie; init: Buffer; pieces: { segment: Segment; head: Buffer }[] }

/**
 * @param choose - selects the tracks; all by default
 * @throws Mp4Error
 */
export function planCut(mp4: Mp4File, choose: (movie: Movie) => Movie = (movie) => movie): CutPlan {
  const { moov, mdats } = readLayout(mp4)
  const movie = choose(readMovie(moov))
  checkOffsets(movie, { mdats, fileBytes: mp4.length })
  const segments = planSegments(movie)
  return { movie, ...planPieces(movie, segments) }
}

export function planPieces(
  movie: Pick<Movie, 'mvhd' | 'tracks'>,
  segments: readonly Segment[],
): Pick<CutPlan, 'init' | 'pieces'> {
  const pieces = segments.map((segment, i) => ({ segment, head: writeSegmentHead(segment, i) }))
  return { init: writeInit(movie), pieces }
}
