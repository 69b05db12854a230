// A did:key as a key of the platform's own cryptography (OpenSSL), which verifies in a tenth of the
// time that JavaScript takes. Making one costs a millisecond, so they are kept.

import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import { parseDidKey } from '@atproto/crypto'
import { LruMap } from './lru.ts'

export type JwtAlg = 'ES256' | 'ES256K'

export type VerifyingKey = { alg: JwtAlg; key: KeyObject }

/** r and s, 32 bytes each. */
export const SIGNATURE_BYTES = 64

const MAX_KEYS = 10_000
const keys = new LruMap<string, VerifyingKey>(MAX_KEYS)

/** @throws if it is not a point on one of the two curves. */
export function verifyingKey(didKey: string): VerifyingKey {
  const kept = keys.get(didKey)
  if (kept) return kept
  const { jwtAlg, keyBytes } = parseDidKey(didKey)
  if (jwtAlg !== 'ES256' && jwtAlg !== 'ES256K') throw new Error(`unknown algorithm ${jwtAlg}`)
  const made = { alg: jwtAlg as JwtAlg, key: toKeyObject(jwtAlg, keyBytes) }
  keys.set(didKey, made)
  return made
}

/** Over SHA-256; `signature` is r and s, SIGNATURE_BYTES long. High s is as good as low s, as in the reference. */
export function verifySignature(
  { key }: VerifyingKey,
  message: Uint8Array,
  signature: Uint8Array,
): boolean {
  return verify('sha256', message, { key, dsaEncoding: 'ieee-p1363' }, signature)
}

/** `point` is uncompressed: 0x04, x, y. */
function toKeyObject(alg: JwtAlg, point: Uint8Array): KeyObject {
  const coordinate = (from: number) =>
    Buffer.from(point.subarray(from, from + 32)).toString('base64url')
  return createPublicKey({
    format: 'jwk',
    key: {
      kty: 'EC',
      crv: alg === 'ES256' ? 'P-256' : 'secp256k1',
      x: coordinate(1),
      y: coordinate(33),
    },
  })
}
