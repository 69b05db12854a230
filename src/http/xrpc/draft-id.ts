// Ids of drafts: TIDs (https://atproto.com/specs/tid) of the moment, ascending within this thread. The
// clock's part is chosen at random each time, so that two threads don't meet.

import { randomInt } from 'node:crypto'
import { tidOfMicros } from '../../base/atproto/tid.ts'

const CLOCK_IDS = 1024

let lastUs = 0

export function newDraftId(nowMs: number = Date.now()): string {
  lastUs = Math.max(nowMs * 1000, lastUs + 1)
  return tidOfMicros(lastUs, randomInt(CLOCK_IDS))
}
