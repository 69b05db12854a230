// Compact forms of the record key and CID that every record has, and of CID order. A TID record key (13
// characters, 63 bits) is stored as 8 bytes, any other key as text; SQLite distinguishes them by type, so
// this is reversible. A record's CID is always CIDv1, dag-cbor, sha-256, so only its 32-byte digest is
// stored. `cidRank` gives the order of CID strings (the reference's tie-breaker) by their first fifteen bits.
// Specs: https://atproto.com/specs/tid and https://atproto.com/specs/data-model.

const TID_ALPHABET = '234567abcdefghijklmnopqrstuvwxyz'
/** Alphabet of CIDs and did:plc. */
export const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567'
/** Version, codec, hash function, length and 32 bytes of SHA-256. */
export const CID_BYTES = 36
const CID_LENGTH = 59
const TID_LENGTH = 13
const RAW = 0x55
const DAG_CBOR = 0x71
const SHA256 = [0x12, 32]
/** Behind version, codec, hash and length. */
const DIGEST_AT = 4

const tidValues = valuesOf(TID_ALPHABET)
const base32Values = valuesOf(BASE32)
const base32Codes = Buffer.from(BASE32)
/**
 * Reused for every CID being formatted, as bytes and as text: one small buffer instead of many
 * strings.
 */
const cidBytes = Buffer.from([1, DAG_CBOR, ...SHA256, ...new Array<number>(32).fill(0)])
const cidCodes = Buffer.alloc(CID_LENGTH)

/** A stored record key: 8 bytes for a TID, text for anything else. */
export type PackedRkey = Buffer | string

export function packRkey(rkey: string): PackedRkey {
  if (rkey.length !== TID_LENGTH) return rkey
  const first = tidValues[rkey.charCodeAt(0)] ?? 255
  if (first > 15) return rkey
  let high = first
  let low = 0
  for (let i = 1; i < TID_LENGTH; i++) {
    const value = tidValues[rkey.charCodeAt(i)] ?? 255
    if (value === 255) return rkey
    // 60 bits follow the first character: 30 go to `high`, 30 to `low`.
    if (i <= 6) high = high * 32 + value
    else low = low * 32 + value
  }
  const packed = Buffer.allocUnsafe(8)
  packed.writeUInt32BE(Math.floor(high / 4), 0)
  packed.writeUInt32BE(((high % 4) * 2 ** 30 + low) >>> 0, 4)
  return packed
}

export function unpackRkey(packed: PackedRkey): string {
  if (typeof packed === 'string') return packed
  return tidOf(packed.readUInt32BE(0), packed.readUInt32BE(4))
}

/** Builds the TID with these upper and lower 32 bits. */
export function tidOf(top: number, bottom: number): string {
  let high = top * 4 + Math.floor(bottom / 2 ** 30)
  let low = bottom % 2 ** 30
  let rkey = ''
  for (let i = 0; i < 6; i++) {
    rkey = TID_ALPHABET[low % 32]! + rkey
    low = Math.floor(low / 32)
  }
  for (let i = 0; i < 7; i++) {
    rkey = TID_ALPHABET[high % 32]! + rkey
    high = Math.floor(high / 32)
  }
  return rkey
}

/**
 * Returns the 32-byte digest of a record's CID.
 * @returns undefined unless `cid` is CIDv1, dag-cbor, sha-256, in base32.
 */
export function packCid(cid: string): Buffer | undefined {
  const bytes = cid.length === CID_LENGTH ? bytesOfCid(cid) : undefined
  const isRecords = bytes?.[1] === DAG_CBOR && bytes[2] === SHA256[0] && bytes[3] === SHA256[1]
  return isRecords ? bytes.subarray(4) : undefined
}

/** Decodes any CIDv1 in base32 (`b…`). */
export function bytesOfCid(cid: string): Buffer | undefined {
  if (cid[0] !== 'b' || cid.length < 10) return undefined
  const bytes = Buffer.allocUnsafe(Math.floor(((cid.length - 1) * 5) / 8))
  let bits = 0
  let pending = 0
  let length = 0
  for (let i = 1; i < cid.length; i++) {
    const value = base32Values[cid.charCodeAt(i)] ?? 255
    if (value === 255) return undefined
    pending = (pending << 5) | value
    bits += 5
    if (bits < 8) continue
    bits -= 8
    bytes[length++] = pending >> bits
    pending &= (1 << bits) - 1
  }
  return bytes[0] === 1 && pending === 0 ? bytes : undefined
}

/** Whether it is a CIDv1 of raw bytes, in base32, whose digest is as long as it says. */
export function isRawCid(cid: string): boolean {
  const bytes = bytesOfCid(cid)
  return bytes?.[1] === RAW && bytes[3] === bytes.length - DIGEST_AT
}

/** A record's CID, by the SHA-256 of its DAG-CBOR. */
export function unpackCid(digest: Uint8Array): string {
  return spell(DAG_CBOR, digest)
}

/** A blob's CID, by the SHA-256 of its bytes. https://atproto.com/specs/data-model#blob-type */
export function blobCid(digest: Uint8Array): string {
  return spell(RAW, digest)
}

/** Formats a CID in base32. @returns undefined unless it is of one of AT Protocol's two kinds. */
export function cidAt(bytes: Buffer, from: number): string | undefined {
  const codec = bytes[from + 1]!
  if (bytes[from] !== 1 || (codec !== RAW && codec !== DAG_CBOR)) return undefined
  if (bytes[from + 2] !== SHA256[0] || bytes[from + 3] !== SHA256[1]) return undefined
  return spell(codec, bytes.subarray(from + 4, from + CID_BYTES))
}

function spell(codec: number, digest: Uint8Array): string {
  cidBytes[1] = codec
  cidBytes.set(digest, 4)
  let bits = 0
  let pending = 0
  let length = 0
  cidCodes[length++] = 0x62
  for (let i = 0; i < CID_BYTES; i++) {
    pending = ((pending << 8) | cidBytes[i]!) & 0xfff
    for (bits += 8; bits >= 5; bits -= 5) {
      cidCodes[length++] = base32Codes[(pending >> (bits - 5)) & 31]!
    }
  }
  cidCodes[length] = base32Codes[(pending << (5 - bits)) & 31]!
  return cidCodes.toString('latin1', 0, CID_LENGTH)
}

/**
 * Fifteen bits that order CIDs as their strings do: the three characters after `bafyrei`,
 * digits before letters.
 */
export function cidRank(cid: string): number {
  let rank = 0
  for (let i = 7; i < 10; i++) {
    const value = base32Values[cid.charCodeAt(i)] ?? 0
    rank = rank * 32 + ((value + 6) & 31)
  }
  return rank
}

/** `cidRank` of the CID with this digest. */
export function digestRank(digest: Uint8Array): number {
  const values = [digest[0]! >> 5, digest[0]! & 31, digest[1]! >> 3]
  return values.reduce((rank, value) => rank * 32 + ((value + 6) & 31), 0)
}

function valuesOf(alphabet: string): Uint8Array {
  const values = new Uint8Array(128).fill(255)
  for (let i = 0; i < alphabet.length; i++) values[alphabet.charCodeAt(i)] = i
  return values
}

/** The time in a TID, in microseconds. */
export function microsOf(rkey: Buffer): number {
  return rkey.readUInt32BE(0) * 2 ** 22 + (rkey.readUInt32BE(4) >>> 10)
}
