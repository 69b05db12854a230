// Timestamps in TIDs, both ways. https://atproto.com/specs/tid

import { microsOf, packRkey } from './keys.ts'

const ALPHABET = '234567abcdefghijklmnopqrstuvwxyz'
const LENGTH = 13

/** Milliseconds since 1970; Infinity for what is no TID. */
export function tidTimeMs(tid: string): number {
  const rkey = packRkey(tid)
  return typeof rkey === 'string' ? Number.POSITIVE_INFINITY : Math.floor(microsOf(rkey) / 1000)
}

/** The lowest TID of a moment. */
export function tidAt(timeMs: number): string {
  let value = BigInt(Math.floor(timeMs)) * 1000n * 1024n
  let tid = ''
  for (let i = 0; i < LENGTH; i++) {
    tid = ALPHABET[Number(value % 32n)]! + tid
    value /= 32n
  }
  return tid
}
