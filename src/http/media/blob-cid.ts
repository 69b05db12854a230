// The CID of bytes, to compare with the one that names them. Nothing a PDS sends is shown because it was sent.

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567'
/** CIDv1, raw, SHA-256, 32 bytes. */
const PREFIX = [0x01, 0x55, 0x12, 0x20]

/** CIDv1 of raw bytes by their SHA-256. Spec: https://atproto.com/specs/data-model#blob-type. */
export function cidOfDigest(digest: Uint8Array): string {
  return `b${base32(Buffer.concat([Buffer.from(PREFIX), digest]))}`
}

function base32(bytes: Uint8Array): string {
  let text = ''
  let pending = 0
  let bits = 0
  for (const byte of bytes) {
    pending = (pending << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += BASE32[(pending >> bits) & 31]
    }
    pending &= (1 << bits) - 1
  }
  return bits > 0 ? text + BASE32[(pending << (5 - bits)) & 31] : text
}
