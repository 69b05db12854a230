// Playlists as data: read by a source from anywhere, and the input of our own playlists. No line of a foreign
// playlist is passed on.

import type { CacheEntry } from '../cache/cache-entry.ts'
import { MediaError } from '../media-error.ts'
import type { BlobName } from '../media-path.ts'
import type { FilePart } from '../video-response.ts'

/** One quality of a video. Only `bandwidth` is required (RFC 8216 §4.3.4.2). */
export type Variant = {
  /** Number in its URL; its index in the list by default. */
  number?: number | undefined
  /** Peak bits per second. */
  bandwidth: number
  averageBandwidth?: number | undefined
  codecs?: string | undefined
  width?: number | undefined
  height?: number | undefined
  frameRate?: number | undefined
  /** Duration. */
  seconds?: number | undefined
}

export type SegmentLine = { seconds: number; file: string; isDiscontinuous?: boolean }

/** A media playlist: names of files in the same folder. */
export type SegmentList = { init: string | undefined; segments: readonly SegmentLine[] }

/** A local file, which the caller closes, or a URL for the player. */
type VideoPiece = (FilePart | { location: string }) & {
  /** Undefined for pieces without playing time, such as the initialization section. */
  segment?: PieceTime | undefined
}

/** A segment's number, from 0, and its duration. */
type PieceTime = { number: number; seconds: number }

/** A source of videos. Every method may throw MediaError. */
export type VideoSource = {
  variants(name: BlobName): Promise<readonly Variant[]>
  list(name: BlobName, variant: number): Promise<SegmentList>
  piece(name: BlobName, variant: number, file: string): Promise<VideoPiece>
  /** The picture shown until the video plays. */
  thumbnail(name: BlobName): Promise<CacheEntry | { location: string }>
  /** Timestamp at which the video begins, in units of 1/90,000 s. */
  firstTimestamp(name: BlobName): Promise<number>
  /** Whether a video's playlists never change. */
  isLasting: boolean
  /** The container of all pieces, if it is always the same. */
  container?: 'mp4'
  /** Where players are redirected if we cannot serve the video. */
  elsewhere?: (name: BlobName) => string
}

export const MAX_SEGMENTS = 3600

/** Time of a file named by its index in the list. */
export function timeOf({ segments }: SegmentList, file: string): PieceTime | undefined {
  const number = Number.parseInt(file, 10)
  const segment = segments[number]
  return segment?.file === file ? { number, seconds: segment.seconds } : undefined
}

export function noSuchPart(): MediaError {
  return new MediaError('missing', 'NoSuchPart', 'the video has no such part')
}
