// libsecp256k1, the library for this curve, from the package `secp256k1`: it verifies in a seventh of the
// time of OpenSSL, which supports the curve only generically. The package ships native binaries for Linux
// (x64) and macOS on ARM, so nothing is compiled at install; other machines use OpenSSL. Only the native part
// is loaded: the package's JavaScript fallback is slower than OpenSSL.

import { hash } from 'node:crypto'
import { createRequire } from 'node:module'

/** Over SHA-256. `signature` is r and s, high s or low; `point` is 0x04, x, y. Never throws. */
type VerifySecp256k1 = (message: Uint8Array, signature: Uint8Array, point: Uint8Array) => boolean

type Native = {
  /** In place. @throws if r or s is not below the order of the group. */
  signatureNormalize(signature: Uint8Array): Uint8Array
  /** Accepts only low s. @throws for a point off the curve. */
  ecdsaVerify(signature: Uint8Array, digest: Uint8Array, point: Uint8Array): boolean
}

/** A signature made once by OpenSSL. */
const known = {
  message: Buffer.from('slipstream'),
  signature: Buffer.from(
    'nwpv7V6OJYbF1ZcVrHTuS68xRw4K7WRVg5CJFMw/J6NxQXvJX2267dU6q8IE1KA8EF6PsBzYhUR+OLmXjAXK+w==',
    'base64',
  ),
  point: Buffer.from(
    'BIkz/sr9gD7ZlxAD6porcpeKjP7IpbRVexc3yUAlnG6dMiufE2Pny9A8aL/Tt3xzjBzCWVbQ6KVQvqOBYtDWXYs=',
    'base64',
  ),
}

/** Undefined if the binary is missing or gives wrong answers. */
export const verifySecp256k1: VerifySecp256k1 | undefined = load()

function load(): VerifySecp256k1 | undefined {
  try {
    const native = createRequire(import.meta.url)('secp256k1/bindings.js') as Native
    const verify = createVerify(native)
    return isRight(verify) ? verify : undefined
  } catch {
    return undefined
  }
}

function createVerify(native: Native): VerifySecp256k1 {
  return (message, signature, point) => {
    try {
      const low = native.signatureNormalize(Uint8Array.from(signature))
      return native.ecdsaVerify(low, hash('sha256', message, 'buffer'), point)
    } catch {
      return false
    }
  }
}

/** Tests one valid and one invalid signature before the library is trusted. */
function isRight(verify: VerifySecp256k1): boolean {
  const { message, signature, point } = known
  return verify(message, signature, point) && !verify(Buffer.from('another'), signature, point)
}
