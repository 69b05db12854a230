// Makes the identifiers of records: increasing TIDs, well-formed CIDs, DIDs from names.

import { createHash } from 'node:crypto'
import { unpackCid } from '../../src/base/atproto/keys.ts'

const BASE32 = '234567abcdefghijklmnopqrstuvwxyz'
const DID_ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567'

/** The TID of a time in microseconds; `clockId` in [0, 1024). */
export function tidAt(timeUs: number, clockId = 0): string {
  let value = (BigInt(timeUs) << 10n) | BigInt(clockId)
  let tid = ''
  for (let i = 0; i < 13; i++) {
    tid = BASE32[Number(value & 31n)]! + tid
    value >>= 5n
  }
  return tid
}

/** A well-formed did:plc, always the same for the same name. */
export function didOf(name: string): string {
  const digest = createHash('sha256').update(name).digest()
  return `did:plc:${[...digest.subarray(0, 24)].map((byte) => DID_ALPHABET[byte & 31]).join('')}`
}

/** A well-formed record CID, different for different content. */
export function cidOf(content: unknown): string {
  return unpackCid(createHash('sha256').update(JSON.stringify(content)).digest())
}

export function blobOf(name: string, mimeType = 'image/jpeg', size = 1000) {
  const cid = unpackCid(createHash('sha256').update(name).digest()).replace('bafyrei', 'bafkrei')
  return { $type: 'blob', ref: { $link: cid }, mimeType, size }
}
