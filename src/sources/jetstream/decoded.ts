// What one frame can turn out to be: an event, a notice of the server about the stream, or nothing
// usable, with the reason it is counted under.

import type { StreamItem } from '../../base/event.ts'

export type DropReason =
  | 'bad-zstd'
  | 'bad-utf8'
  | 'bad-json'
  | 'bad-text'
  | 'oversized'
  | 'too-deep'
  /** A record of which nothing would be kept, too costly to be parsed. */
  | 'too-wide'
  | 'forbidden-key'
  | 'unknown-frame'
  /** Reading it failed in a way that nobody foresaw. */
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

const WHOLE: ReadonlySet<DropReason> = new Set<DropReason>([
  ...(['bad-zstd', 'bad-utf8', 'bad-json', 'oversized', 'unknown-frame', 'unknown-kind'] as const),
  ...(['bad-did', 'duplicate', 'unreadable', 'too-wide'] as const),
])

/** What can't be used but is JSON, and may name the account that it is about. */
export function isBroken(reason: DropReason): boolean {
  return !WHOLE.has(reason)
}

/** Frames that were lost whole: what they said is unknown, so a gap is recorded for them. */
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
