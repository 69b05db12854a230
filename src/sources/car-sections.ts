// The sections of a CAR file (v1): a length, a CID, a block. Nothing is believed of a block before it is used: then
// it must hash to its CID. Spec: https://ipld.io/specs/transport/car/carv1/.

import { hash } from 'node:crypto'
import { CID_BYTES } from '../base/atproto/keys.ts'

/** Of a section's CID and block together. */
export type Section = { from: number; to: number }

const DIGEST_AT = 4

/**
 * The section whose length stands at `at`; undefined if it is empty or reaches beyond the file.
 * @param maxVarintBytes - of its length
 */
export function sectionAt(car: Buffer, at: number, maxVarintBytes: number): Section | undefined {
  let length = 0
  for (let i = 0; i < maxVarintBytes; i++) {
    const byte = car[at + i]
    if (byte === undefined) return undefined
    length += (byte & 0x7f) * 2 ** (7 * i)
    if (byte >= 0x80) continue
    const from = at + i + 1
    return length === 0 || from + length > car.length ? undefined : { from, to: from + length }
  }
  return undefined
}

/** The block's bytes; undefined if it is not what its CID says. */
export function blockOf(car: Buffer, { from, to }: Section): Buffer | undefined {
  const block = car.subarray(from + CID_BYTES, to)
  const digest = car.subarray(from + DIGEST_AT, from + CID_BYTES)
  return hash('sha256', block, 'buffer').equals(digest) ? block : undefined
}
