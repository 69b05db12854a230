// Service JWTs for many viewers, signed beforehand as a PDS signs them (ES256K, low s). Uses the platform's
// own cryptography because tens of thousands are needed.
// https://atproto.com/specs/xrpc#inter-service-authentication-jwt

import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { formatDidKey } from '@atproto/crypto'

export type ViewerKey = { did: string; didKey: string; privateKey: KeyObject }

const LIFETIME_SECONDS = 3600
const CURVE_ORDER = BigInt('0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141')
const HEADER = encode({ typ: 'JWT', alg: 'ES256K' })

export function createViewerKey(did: string): ViewerKey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' })
  const { x, y } = publicKey.export({ format: 'jwk' })
  const point = Buffer.concat([
    Buffer.from([4]),
    Buffer.from(x!, 'base64url'),
    Buffer.from(y!, 'base64url'),
  ])
  return { did, didKey: formatDidKey('ES256K', point), privateKey }
}

/** Valid for one hour from now; each token differs by its own `jti`. */
export function signServiceToken(key: ViewerKey, claims: { aud: string; lxm: string }): string {
  const iat = Math.floor(Date.now() / 1000)
  const jti = randomBytes(16).toString('hex')
  const payload = encode({ iat, iss: key.did, exp: iat + LIFETIME_SECONDS, jti, ...claims })
  const signed = `${HEADER}.${payload}`
  const options = { key: key.privateKey, dsaEncoding: 'ieee-p1363' } as const
  return `${signed}.${lowS(sign('sha256', Buffer.from(signed), options)).toString('base64url')}`
}

function lowS(signature: Buffer): Buffer {
  const s = BigInt(`0x${signature.toString('hex', 32)}`)
  if (s <= CURVE_ORDER / 2n) return signature
  const low = (CURVE_ORDER - s).toString(16).padStart(64, '0')
  return Buffer.concat([signature.subarray(0, 32), Buffer.from(low, 'hex')])
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
