// Secrets that somebody shows, compared in a time that tells nothing of where they differ.

import { createHash, timingSafeEqual } from 'node:crypto'

/** Tells nothing of how long the secret is either. */
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
