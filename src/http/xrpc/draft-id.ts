// Ids of drafts: TIDs (https://atproto.com/specs/tid) of the moment, ascending within this thread. The
// clock's part is chosen at random each time, so that two threads don't meet.

import { randomInt } from 'node:crypto'

const ALPHABET = '234567abcdefghijklmnopqrstuvwxyz'
const LENGTH = 13
const CLOCK_IDS = 1024

let lastUs = 0

export function newDraftId(nowMs: number = Date.now()): string {
  lastUs = Math.max(nowMs * 1000, lastUs + 1)
  let value = BigInt(lastUs) * BigInt(CLOCK_IDS) + BigInt(randomInt(CLOCK_IDS))
  let tid = ''
  for (let i = 0; i < LENGTH; i++) {
    tid = ALPHABET[Number(value % 32n)]! + tid
    value /= 32n
  }
  return tid
}
