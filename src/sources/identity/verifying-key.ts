// Verifies signatures of a did:key in native code: libsecp256k1 for ES256K where available
// (native-secp256k1.ts), OpenSSL for everything else. JavaScript would take ten times as long. Preparing a
// key costs about a millisecond, so prepared keys are cached.

import { createPublicKey, verify } from 'node:crypto'
import { parseDidKey } from '@atproto/crypto'
import { LruMap } from '../../base/util/lru.ts'
import { verifySecp256k1 } from './native-secp256k1.ts'

type JwtAlg = 'ES256' | 'ES256K'

/**
 * Over SHA-256; a signature is r and s, SIGNATURE_BYTES long. High s is accepted like low s, as in
 * the reference.
 */
export type VerifyingKey = {
  alg: JwtAlg
  verify(message: Uint8Array, signature: Uint8Array): boolean
}

/** r and s, 32 bytes each. */
export const SIGNATURE_BYTES = 64

const MAX_KEYS = 10_000
const keys = new LruMap<string, VerifyingKey>(MAX_KEYS)

/** @throws if it is not a point on one of the two curves. */
export function verifyingKey(didKey: string): VerifyingKey {
  const cached = keys.get(didKey)
  if (cached) return cached
  const made = prepare(didKey)
  keys.set(didKey, made)
  return made
}

function prepare(didKey: string): VerifyingKey {
  const { jwtAlg, keyBytes: point } = parseDidKey(didKey)
  if (jwtAlg !== 'ES256' && jwtAlg !== 'ES256K') throw new Error(`unknown algorithm ${jwtAlg}`)
  const platform = platformKey(jwtAlg, point)
  if (jwtAlg === 'ES256' || !verifySecp256k1) return platform
  const native = verifySecp256k1
  return { alg: jwtAlg, verify: (message, signature) => native(message, signature, point) }
}

/**
 * Uses OpenSSL. `point` is uncompressed: 0x04, x, y.
 * @throws if it is not on the curve.
 */
export function platformKey(alg: JwtAlg, point: Uint8Array): VerifyingKey {
  const coordinate = (from: number) =>
    Buffer.from(point.subarray(from, from + 32)).toString('base64url')
  const crv = alg === 'ES256' ? 'P-256' : 'secp256k1'
  const jwk = { kty: 'EC', crv, x: coordinate(1), y: coordinate(33) }
  const key = createPublicKey({ format: 'jwk', key: jwk })
  return {
    alg,
    verify: (message, signature) =>
      verify('sha256', message, { key, dsaEncoding: 'ieee-p1363' }, signature),
  }
}
