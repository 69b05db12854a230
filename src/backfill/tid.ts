// Timestamps in TIDs, both ways. https://atproto.com/specs/tid

import { isValidTid } from '@atproto/syntax'

const ALPHABET = '234567abcdefghijklmnopqrstuvwxyz'
const LENGTH = 13

/** Milliseconds since 1970; Infinity for what is no TID. */
export function tidTimeMs(tid: string): number {
  if (!isValidTid(tid)) return Number.POSITIVE_INFINITY
  let value = 0n
  for (const character of tid) value = value * 32n + BigInt(ALPHABET.indexOf(character))
  return Number((value >> 10n) / 1000n)
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
