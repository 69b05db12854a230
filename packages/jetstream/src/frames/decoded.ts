// The possible results of decoding a frame: an event, a notice of the server about the stream, or the reason
// under which an unusable frame is counted.

import type { StreamItem } from '../event.ts'

export type DropReason =
  | 'bad-zstd'
  | 'bad-utf8'
  | 'bad-json'
  | 'bad-text'
  | 'oversized'
  | 'too-deep'
  /** A record that would not be kept anyway and is too costly to parse. */
  | 'too-wide'
  | 'forbidden-key'
  | 'unknown-frame'
  /** Reading it failed in an unforeseen way. */
  | 'unreadable'
  | 'unknown-kind'
  | 'bad-did'
  | 'bad-time'
  | 'bad-seq'
  | 'bad-operation'
  | 'bad-rev'
  | 'bad-collection'
  | 'bad-rkey'
  | 'bad-cid'
  | 'bad-record'
  | 'bad-account'
  | 'bad-sync'
  | 'duplicate'

/** `error` frames are terminal: the server closes right after. `info` frames are advice. */
export type Notice = { notice: 'info' | 'error'; name: string; message: string }

export type Decoded = StreamItem | Notice | DropReason

const COMPLETE: ReadonlySet<DropReason> = new Set<DropReason>([
  ...(['bad-zstd', 'bad-utf8', 'bad-json', 'oversized', 'unknown-frame', 'unknown-kind'] as const),
  ...(['bad-did', 'duplicate', 'unreadable', 'too-wide'] as const),
])

/** Unusable, but JSON, and may name its account. */
export function isBroken(reason: DropReason): boolean {
  return !COMPLETE.has(reason)
}

/** Frames lost completely: their content is unknown, so a gap is recorded for them. */
export function isLost(reason: DropReason): boolean {
  return (
    reason === 'bad-zstd' ||
    reason === 'bad-utf8' ||
    reason === 'bad-json' ||
    reason === 'oversized' ||
    reason === 'too-deep' ||
    reason === 'unreadable'
  )
}
