// Compares secrets in constant time, so that the duration does not reveal where they differ, and signs with
// our own.

import {
  createHash,
  createHmac,
  createSecretKey,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto'

/** Does not reveal the secret's length either. */
export function isSameSecret(given: string, secret: string): boolean {
  return timingSafeEqual(digest(given), digest(secret))
}

export function isSameMac(given: Buffer, right: Buffer): boolean {
  return given.length === right.length && timingSafeEqual(given, right)
}

/** Other schemes count as no token, as in the reference. */
export function bearerToken(authorization: string | undefined): string | undefined {
  const scheme = authorization?.slice(0, 7).toLowerCase()
  return scheme === 'bearer ' ? authorization!.slice(7).trim() : undefined
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/**
 * Keys per secret: otherwise bytes are converted to a key for every signature, which takes four
 * times as long as signing.
 */
const keys = new WeakMap<Uint8Array, KeyObject>()

/** HMAC-SHA-256 (RFC 2104). */
export function macOf(secret: Uint8Array, text: string): Buffer {
  const key = keys.get(secret) ?? createSecretKey(secret)
  keys.set(secret, key)
  return createHmac('sha256', key).update(text).digest()
}
