// What playlists say, as data: what a source has read from anywhere, and what ours are written from. No line
// of somebody else's goes through.

import type { CacheEntry } from '../cache-entry.ts'
import { MediaError } from '../media-error.ts'
import type { BlobName } from '../media-path.ts'
import type { FilePart } from '../video-response.ts'

/** One quality of a video. Only `bandwidth` has to be known (RFC 8216 §4.3.4.2). */
export type Variant = {
  /** In its address; its place in the list where not given. */
  number?: number | undefined
  /** Bits a second at most. */
  bandwidth: number
  averageBandwidth?: number | undefined
  codecs?: string | undefined
  width?: number | undefined
  height?: number | undefined
  frameRate?: number | undefined
  /** How long it plays. */
  seconds?: number | undefined
}

export type SegmentLine = { seconds: number; file: string; isDiscontinuous?: boolean }

/** A media playlist: names of files beside it. */
export type SegmentList = { init: string | undefined; segments: readonly SegmentLine[] }

/** A file of ours, which is the caller's to close; or where the player finds it. */
type VideoPiece = (FilePart | { location: string }) & {
  /** Undefined for what is no part of the time that the video takes. */
  segment?: PieceTime | undefined
}

/** Which segment it is, from 0, and how long it plays. */
type PieceTime = { number: number; seconds: number }

/** Where videos are had from. @throws MediaError from each */
export type VideoSource = {
  variants(name: BlobName): Promise<readonly Variant[]>
  list(name: BlobName, variant: number): Promise<SegmentList>
  piece(name: BlobName, variant: number, file: string): Promise<VideoPiece>
  /** What stands for the video until it plays. */
  thumbnail(name: BlobName): Promise<CacheEntry | { location: string }>
  /** Where its time begins, in 90,000ths of a second. */
  firstTimestamp(name: BlobName): Promise<number>
  /** Whether a video's playlists stay as they are for good. */
  isLasting: boolean
  /** What all of its pieces come in, where that is so. */
  container?: 'mp4'
  /** Where a player is sent whose video cannot be had by way of us. */
  elsewhere?: (name: BlobName) => string
}

export const MAX_SEGMENTS = 3600

/** Of a file that the list names by its place in it. */
export function timeOf({ segments }: SegmentList, file: string): PieceTime | undefined {
  const number = Number.parseInt(file, 10)
  const segment = segments[number]
  return segment?.file === file ? { number, seconds: segment.seconds } : undefined
}

export function noSuchPart(): MediaError {
  return new MediaError('missing', 'NoSuchPart', 'the video has no such part')
}
