// Quickly generates CIDs in the form that records have: made-up digests, one per (creator, key), for
// benchmarks that need millions of them.

import { unpackCid } from '../../src/base/atproto/keys.ts'

const digest = Buffer.alloc(32)

/**
 * Formally a CIDv1 with dag-cbor and sha-256; the digest is mixed from the key and is not a hash of
 * any content.
 */
export function quickCid(did: string, rkey: string): string {
  let a = mix(0x811c9dc5, did)
  let b = mix(a ^ 0x9e3779b9, rkey)
  for (let i = 0; i < 32; i += 8) {
    a = Math.imul(a ^ (b >>> 15), 0x2c1b3c6d) >>> 0
    b = Math.imul(b ^ (a >>> 13), 0x297a2d39) >>> 0
    digest.writeUInt32BE(a, i)
    digest.writeUInt32BE(b, i + 4)
  }
  return unpackCid(digest)
}

/** FNV-1a. */
function mix(seed: number, text: string): number {
  let hash = seed >>> 0
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}
