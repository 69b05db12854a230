// Well-formed identifiers without a real counterpart: TIDs, CIDs and DIDs derived from numbers.

import { createHash } from 'node:crypto'

const TID_ALPHABET = '234567abcdefghijklmnopqrstuvwxyz'
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567'

/** Returns the TID of a time in microseconds, with a ten-bit clock id. */
export function tidAt(timeUs: number, clock = 0): string {
  let rest = BigInt(timeUs) * 1024n + BigInt(clock & 1023)
  let tid = ''
  for (let i = 0; i < 13; i++) {
    tid = TID_ALPHABET[Number(rest & 31n)] + tid
    rest >>= 5n
  }
  return tid
}

/** Returns a CIDv1, dag-cbor, sha-256 of `text` (not of any record's true encoding). */
export function cidOf(text: string): string {
  const digest = createHash('sha256').update(text).digest()
  return `b${base32(Buffer.concat([Buffer.from([0x01, 0x71, 0x12, 0x20]), digest]))}`
}

/** Returns the did:plc of account number `n`. */
export function didOf(n: number): string {
  return `did:plc:${base32(createHash('sha256').update(`account ${n}`).digest()).slice(0, 24)}`
}

function base32(bytes: Uint8Array): string {
  let text = ''
  let pending = 0
  let bits = 0
  for (const byte of bytes) {
    pending = ((pending << 8) | byte) & 0xfff
    bits += 8
    for (; bits >= 5; bits -= 5) text += BASE32[(pending >> (bits - 5)) & 31]
  }
  return bits > 0 ? text + BASE32[(pending << (5 - bits)) & 31] : text
}
