// Signs as a PDS does, but synchronously: a key of @atproto/crypto in native code.

import { createECDH, createPrivateKey, sign } from 'node:crypto'
import type { Secp256k1Keypair } from '@atproto/crypto'
import type { Sign } from './repo-file.ts'

/** @param key - exportable */
export async function signerWith(key: Secp256k1Keypair): Promise<Sign> {
  const secret = Buffer.from(await key.export())
  const curve = createECDH('secp256k1')
  curve.setPrivateKey(secret)
  const point = curve.getPublicKey()
  const text = (bytes: Buffer) => bytes.toString('base64url')
  const jwk = {
    kty: 'EC',
    crv: 'secp256k1',
    d: text(secret),
    x: text(point.subarray(1, 33)),
    y: text(point.subarray(33)),
  }
  const secretKey = createPrivateKey({ format: 'jwk', key: jwk })
  return (bytes) => sign('sha256', bytes, { key: secretKey, dsaEncoding: 'ieee-p1363' })
}
