// A CID's text from its bytes. Every record of an archive is hashed, and every link in it spelt out, so
// this writes into one small buffer instead of adding strings up.

const ALPHABET = Buffer.from('abcdefghijklmnopqrstuvwxyz234567')
const RAW = 0x55
const DAG_CBOR = 0x71
const TEXT_LENGTH = 59

/** Version, codec, hash function, length, and 32 bytes of SHA-256. */
export const CID_BYTES = 36

const text = Buffer.alloc(TEXT_LENGTH)
const whole = Buffer.from([1, DAG_CBOR, 0x12, 32, ...new Array<number>(32).fill(0)])

/** In base32 (`b…`). @returns undefined where it is not of the two kinds that AT Protocol has. */
export function cidText(bytes: Buffer, from: number): string | undefined {
  const codec = bytes[from + 1]
  if (bytes[from] !== 1 || (codec !== RAW && codec !== DAG_CBOR)) return undefined
  if (bytes[from + 2] !== 0x12 || bytes[from + 3] !== 32) return undefined
  return spell(bytes, from)
}

/** Of a record, by the SHA-256 of its DAG-CBOR. */
export function recordCidText(digest: Buffer): string {
  digest.copy(whole, 4)
  return spell(whole, 0)
}

function spell(bytes: Buffer, from: number): string {
  let bits = 0
  let pending = 0
  let length = 0
  text[length++] = 0x62
  for (let i = 0; i < CID_BYTES; i++) {
    pending = ((pending << 8) | bytes[from + i]!) & 0xfff
    for (bits += 8; bits >= 5; bits -= 5) {
      text[length++] = ALPHABET[(pending >> (bits - 5)) & 31]!
    }
  }
  text[length] = ALPHABET[(pending << (5 - bits)) & 31]!
  return text.toString('latin1', 0, TEXT_LENGTH)
}
