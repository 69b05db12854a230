// What the media routes of all serving threads share.

import { createCountBuffer } from '../../data/shared-memory/count-table.ts'
import { createSessionSpace, type SessionSpace } from './hls/watch-sessions.ts'

export type SharedMedia = {
  sessions: SessionSpace
  /** How much was fetched of accounts that no member follows: blobs/stranger-bytes.ts. */
  strangerBytes: SharedArrayBuffer
  /** How many requests for blobs other servers got. */
  blobs: SharedArrayBuffer
}

/** For counts whose keys are only admitted callers. */
const FEW_SETS = 4_096

export function createSharedMedia(): SharedMedia {
  return {
    sessions: createSessionSpace(),
    strangerBytes: createCountBuffer(FEW_SETS),
    blobs: createCountBuffer(),
  }
}
