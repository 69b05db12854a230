// The two native verifiers of ES256K against each other: OpenSSL is the oracle for libsecp256k1, over valid
// signatures, their high-s twins, altered ones, and ones made from numbers at the edges of the field and of
// the group. OpenSSL makes all signatures.

import { createPrivateKey, generateKeyPairSync, hash, sign } from 'node:crypto'
import { createRequire } from 'node:module'
import { P256Keypair, Secp256k1Keypair } from '@atproto/crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { verifySecp256k1 } from '../../../src/sources/identity/native-secp256k1.ts'
import { platformKey, verifyingKey } from '../../../src/sources/identity/verifying-key.ts'
import { createRandom } from '../../support/random.ts'
import { testSeed } from '../../support/seed.ts'

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const FIELD = 0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2fn
const MAX = (1n << 256n) - 1n

const bytesOf = (value: bigint) => Buffer.from(value.toString(16).padStart(64, '0'), 'hex')
const numberOf = (bytes: Uint8Array) => BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
const mod = (value: bigint) => ((value % ORDER) + ORDER) % ORDER

/** Computes the inverse by Fermat's little theorem. */
function inverse(value: bigint): bigint {
  let [base, result] = [mod(value), 1n]
  for (let power = ORDER - 2n; power > 0n; power >>= 1n) {
    if (power & 1n) result = mod(result * base)
    base = mod(base * base)
  }
  return result
}

type Key = { secret: bigint; point: Buffer; sign: (message: Uint8Array) => Buffer }

function makeKey(): Key {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' })
  const jwk = privateKey.export({ format: 'jwk' })
  const part = (text: string | undefined) => Buffer.from(text!, 'base64url')
  const key = createPrivateKey({ format: 'jwk', key: jwk })
  return {
    secret: numberOf(part(jwk.d)),
    point: Buffer.concat([Buffer.from([4]), part(jwk.x), part(jwk.y)]),
    sign: (message) => sign('sha256', message, { key, dsaEncoding: 'ieee-p1363' }),
  }
}

const highTwin = (signature: Buffer) =>
  Buffer.concat([signature.subarray(0, 32), bytesOf(ORDER - numberOf(signature.subarray(32)))])

test('prepares a did:key once, and refuses one off its curve', async () => {
  const keypair = await Secp256k1Keypair.create()
  expect(verifyingKey(keypair.did())).toBe(verifyingKey(keypair.did()))
  const ed25519 = 'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK'
  expect(() => verifyingKey(ed25519)).toThrow()
  expect(() => verifyingKey(`${keypair.did()}x`)).toThrow()
})

test('both curves verify what @atproto/crypto signs, and nothing else', async () => {
  for (const keypair of [await Secp256k1Keypair.create(), await P256Keypair.create()]) {
    const message = Buffer.from('a token')
    const signature = Buffer.from(await keypair.sign(message))
    const key = verifyingKey(keypair.did())
    expect(key.alg).toBe(keypair.jwtAlg)
    expect(key.verify(message, signature)).toBe(true)
    expect(key.verify(Buffer.from('another'), signature)).toBe(false)
  }
})

if (!verifySecp256k1) console.warn('libsecp256k1 has no machine code here: it is not tested')

describe.skipIf(!verifySecp256k1)('libsecp256k1', () => {
  const random = createRandom(testSeed('signatures'))
  const native = verifySecp256k1!
  let keys: Key[] = []
  beforeAll(() => {
    keys = Array.from({ length: 8 }, makeKey)
  })

  /**
   * Expects both verifiers to agree.
   * @returns their common verdict
   */
  function verdict(key: { point: Buffer }, message: Uint8Array, signature: Uint8Array): boolean {
    const before = Buffer.from(signature)
    const reported = native(message, signature, key.point)
    const expected = platformKey('ES256K', key.point).verify(message, signature)
    const about = `${Buffer.from(message).toString('hex')} ${before.toString('hex')}`
    expect(reported, about).toBe(expected)
    expect(before.equals(signature), 'the signature was changed').toBe(true)
    return reported
  }

  const someMessage = () => Buffer.from(Array.from({ length: random.below(200) }, someByte))
  const someByte = () => random.below(256)

  test('accepts valid signatures, with low s and with high s', () => {
    for (let i = 0; i < 200; i++) {
      const key = random.pick(keys)
      const message = someMessage()
      const signature = key.sign(message)
      expect(verdict(key, message, signature)).toBe(true)
      expect(verdict(key, message, highTwin(signature))).toBe(true)
      expect(verdict(random.pick(keys.filter((item) => item !== key)), message, signature)).toBe(
        false,
      )
    }
  })

  test('agrees on signatures with changed bits, of any length', () => {
    for (let i = 0; i < 400; i++) {
      const key = random.pick(keys)
      const message = someMessage()
      const signature = key.sign(message)
      const changed = Buffer.from(signature)
      const at = random.below(64)
      changed[at] = changed[at]! ^ (1 << random.below(8))
      expect(verdict(key, message, changed)).toBe(false)
      const cut = signature.subarray(0, random.below(64))
      expect(native(message, cut, key.point)).toBe(false)
      expect(native(message, Buffer.concat([signature, Buffer.from([0])]), key.point)).toBe(false)
    }
  })

  test('agrees on numbers at the edges', () => {
    const half = ORDER >> 1n
    const edges = [0n, 1n, 2n, half, half + 1n, ORDER - 1n, ORDER, ORDER + 1n]
    edges.push(FIELD - ORDER, FIELD - 1n, FIELD, FIELD + 1n, MAX)
    const key = keys[0]!
    const message = someMessage()
    const true_ = key.sign(message)
    for (const r of [...edges, numberOf(true_.subarray(0, 32))]) {
      for (const s of edges) {
        const signature = Buffer.concat([bytesOf(r), bytesOf(s)])
        verdict(key, message, signature)
      }
    }
    for (let i = 0; i < 100; i++) {
      const made = Buffer.from(Array.from({ length: 64 }, someByte))
      expect(verdict(key, message, made)).toBe(false)
    }
  })

  test('agrees that a sum at infinity proves nothing', () => {
    for (let i = 0; i < 50; i++) {
      const key = random.pick(keys)
      const message = someMessage()
      const digest = numberOf(hash('sha256', message, 'buffer'))
      // With r = -e/d both products cancel out, whatever s is.
      const r = mod(-digest * inverse(key.secret))
      const s = BigInt(1 + random.below(1_000_000))
      const signature = Buffer.concat([bytesOf(r), bytesOf(s)])
      expect(verdict(key, message, signature)).toBe(false)
    }
  })

  test('agrees on points whose x is beyond the order of the group', () => {
    // Only one in 2^128 signatures is of this kind, so the key is recovered from the signature.
    const { ecdsaRecover } = createRequire(import.meta.url)('secp256k1/bindings.js') as {
      ecdsaRecover(sig: Uint8Array, id: number, digest: Uint8Array, short: boolean): Uint8Array
    }
    const message = Buffer.from('beyond the order')
    const digest = hash('sha256', message, 'buffer')
    let found = 0
    for (let r = 1n; r < 60n; r++) {
      const signature = Buffer.concat([bytesOf(r), bytesOf(12_345n)])
      const point = tryTo(() => Buffer.from(ecdsaRecover(signature, 2, digest, false)))
      if (!point) continue
      found++
      expect(verdict({ point }, message, signature)).toBe(true)
      const unreduced = Buffer.concat([bytesOf(r + ORDER), bytesOf(12_345n)])
      expect(verdict({ point }, message, unreduced)).toBe(false)
    }
    expect(found).toBeGreaterThan(0)
  })

  test('accepts no point off the curve, which OpenSSL does not take as a key either', () => {
    const message = someMessage()
    const [key] = keys as [Key]
    const signature = key.sign(message)
    for (let i = 0; i < 100; i++) {
      const point = Buffer.from(key.point)
      const at = 1 + random.below(64)
      point[at] = point[at]! ^ (1 << random.below(8))
      expect(native(message, signature, point)).toBe(false)
      expect(() => platformKey('ES256K', point)).toThrow()
    }
    for (const point of [Buffer.alloc(65), Buffer.alloc(65, 0xff), key.point.subarray(0, 64)]) {
      expect(native(message, signature, point)).toBe(false)
    }
  })
})

function tryTo<T>(make: () => T): T | undefined {
  try {
    return make()
  } catch {
    return undefined
  }
}
