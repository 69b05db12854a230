// Signs service-auth tokens as a PDS does (contract A2), with @atproto/crypto rather than with the code under
// test; every part can be tampered with for an attack.

import { randomBytes } from 'node:crypto'
import type { Keypair } from '@atproto/crypto'

export type ServiceClaims = {
  iss: string
  aud: string
  lxm?: string | undefined
  /** Seconds since 1970; a minute from now if unset. */
  exp?: number
  iat?: number
}

/** The token that a PDS would send for `claims`. */
export async function signServiceJwt(keypair: Keypair, claims: ServiceClaims): Promise<string> {
  const iat = claims.iat ?? Math.floor(Date.now() / 1000)
  const payload = { iat, exp: iat + 60, jti: randomBytes(16).toString('hex'), ...claims }
  return signJwt(keypair, { header: { typ: 'JWT', alg: keypair.jwtAlg }, payload })
}

/** Any header over any payload, with a genuine signature. */
export async function signJwt(
  keypair: Keypair,
  parts: { header: unknown; payload: unknown },
): Promise<string> {
  const signed = `${encode(parts.header)}.${encode(parts.payload)}`
  const signature = await keypair.sign(Buffer.from(signed))
  return `${signed}.${Buffer.from(signature).toString('base64url')}`
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
