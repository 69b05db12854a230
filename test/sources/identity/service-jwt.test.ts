// Valid tokens of a PDS, and every way to tamper with one (issue 5, item 12), with real keys on both curves,
// signed by @atproto/crypto and verified by our code against a PLC double.

import { createHmac, createPrivateKey, generateKeyPairSync, sign } from 'node:crypto'
import { type Keypair, P256Keypair, Secp256k1Keypair } from '@atproto/crypto'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { IdentityUnavailableError } from '../../../src/sources/identity/fetch-identity.ts'
import { createServiceAuth, ServiceAuthError } from '../../../src/sources/identity/service-jwt.ts'
import {
  type IdentityWorld,
  SERVICE_DID,
  startIdentityWorld,
} from '../../support/identity-world.ts'
import { type Curve, type PlcAccount, plcDid } from '../../support/plc-double.ts'
import { createRandom } from '../../support/random.ts'
import { testSeed } from '../../support/seed.ts'
import { signJwt, signServiceJwt } from '../../support/service-jwt.ts'

const LXM = 'app.bsky.feed.getTimeline'
const MINUTE = 60
const seconds = () => Math.floor(Date.now() / 1000)

let world: IdentityWorld
let alice: PlcAccount

beforeEach(async () => {
  world = await startIdentityWorld({ audiences: [SERVICE_DID, 'did:web:old.example.org'] })
  alice = await world.plc.create({ handle: 'alice.test' })
})
afterEach(() => world.close())

type Bent = { header?: object; payload?: object }

/** Returns a token of the account: tampered with, but validly signed. */
function tokenOf(account: PlcAccount, { header, payload }: Bent = {}): Promise<string> {
  const claims = { iss: account.did, aud: SERVICE_DID, lxm: LXM, iat: seconds(), jti: 'x' }
  return signJwt(account.keypair, {
    header: { typ: 'JWT', alg: account.keypair.jwtAlg, ...header },
    payload: { ...claims, exp: seconds() + MINUTE, ...payload },
  })
}

/** Returns the error's name, or the DID that the token proved. */
async function outcome(token: string, lxm = LXM): Promise<string> {
  try {
    return (await world.serviceAuth.verify(token, lxm)).did
  } catch (error) {
    if (error instanceof ServiceAuthError) return error.error
    throw error
  }
}

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

describe('good tokens', () => {
  test.each(['secp256k1', 'p256'] as Curve[])('on %s prove who sent them', async (curve) => {
    const account = await world.plc.create({ handle: `${curve}.test`, curve })
    const claims = { iss: account.did, aud: SERVICE_DID, lxm: LXM }
    expect(await outcome(await signServiceJwt(account.keypair, claims))).toBe(account.did)
  })

  test.each([
    ['our bare DID', SERVICE_DID],
    ['our service', `${SERVICE_DID}#bsky_appview`],
    ['our other DID', 'did:web:old.example.org'],
    ['the service of our other DID', 'did:web:old.example.org#bsky_appview'],
  ])('may be meant for %s', async (_audience, aud) => {
    expect(await outcome(await tokenOf(alice, { payload: { aud } }))).toBe(alice.did)
  })

  test.each([
    ['no typ', { typ: undefined }],
    ['another typ', { typ: 'whatever' }],
    ['a key id', { kid: 'x' }],
  ])('may have %s in the header', async (_what, header) => {
    expect(await outcome(await tokenOf(alice, { header }))).toBe(alice.did)
  })

  test('may lack iat, and may come from a clock slightly ahead', async () => {
    expect(await outcome(await tokenOf(alice, { payload: { iat: undefined } }))).toBe(alice.did)
    const ahead = { iat: seconds() + 30, exp: seconds() + 90 }
    expect(await outcome(await tokenOf(alice, { payload: ahead }))).toBe(alice.did)
  })

  test('may have a high-S signature, as the reference allows', async () => {
    const [header, payload, signature] = (await tokenOf(alice)).split('.') as [
      string,
      string,
      string,
    ]
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
    const bytes = Buffer.from(signature, 'base64url')
    const s = order - BigInt(`0x${bytes.subarray(32).toString('hex')}`)
    const high = Buffer.concat([
      bytes.subarray(0, 32),
      Buffer.from(s.toString(16).padStart(64, '0'), 'hex'),
    ])
    expect(await outcome(`${header}.${payload}.${high.toString('base64url')}`)).toBe(alice.did)
  })

  test('of a labeler are proved by its labelling key only', async () => {
    const label = await P256Keypair.create()
    world.plc.edit(alice.did, (document) => ({
      ...document,
      verificationMethod: [
        ...(document['verificationMethod'] as object[]),
        {
          id: `${alice.did}#atproto_label`,
          type: 'Multikey',
          controller: alice.did,
          publicKeyMultibase: label.did().replace('did:key:', ''),
        },
      ],
    }))
    const payload = { iss: `${alice.did}#atproto_labeler` }
    const token = await tokenOf({ ...alice, keypair: label }, { payload })
    expect(await world.serviceAuth.verify(token, LXM)).toEqual({
      did: alice.did,
      service: 'atproto_labeler',
      isForUs: true,
      isAddressedToUs: true,
      expiresAt: expect.any(Number),
    })
    expect(await outcome(await tokenOf(alice, { payload }))).toBe('BadJwtSignature')
    expect(await outcome(await tokenOf({ ...alice, keypair: label }))).toBe('BadJwtSignature')
  })

  test('share one key look-up', async () => {
    for (let i = 0; i < 5; i++) await outcome(await tokenOf(alice))
    expect(world.plc.hits()).toBe(1)
  })
})

describe('malformed tokens', () => {
  test.each([
    ['an empty text', ''],
    ['one part', 'abc'],
    ['two parts', 'abc.def'],
    ['four parts', 'a.b.c.d'],
    ['empty parts', '..'],
    ['invalid base64', 'a b.c!d.e+f'],
    ['invalid JSON', 'abcd.abcd.abcd'],
    ['a header that is null', `${encode(null)}.${encode({})}.abcd`],
    ['a header that is a list', `${encode([])}.${encode({})}.abcd`],
    ['a payload that is text', `${encode({ alg: 'ES256K' })}.${encode('x')}.abcd`],
  ])('%s', async (_what, token) => {
    expect(await outcome(token)).toBe('BadJwt')
    expect(world.plc.hits()).toBe(0)
  })

  test.each([
    ['no alg', { header: { alg: undefined } }],
    ['an alg that is a list', { header: { alg: ['ES256K'] } }],
    ['critical extensions', { header: { crit: ['b64'], b64: false } }],
    ['no iss', { payload: { iss: undefined } }],
    ['an iss that is a list', { payload: { iss: ['did:plc:x'] } }],
    ['no aud', { payload: { aud: undefined } }],
    ['a list of audiences', { payload: { aud: [SERVICE_DID] } }],
    ['no exp', { payload: { exp: undefined } }],
    ['an exp that is text', { payload: { exp: '9999999999' } }],
    ['an exp that is null', { payload: { exp: null } }],
    ['an iat that is text', { payload: { iat: 'now' } }],
    ['an lxm that is a list', { payload: { lxm: [LXM] } }],
    ['an lxm that is a number', { payload: { lxm: 1 } }],
  ])('a signed one with %s', async (_what, bent) => {
    expect(await outcome(await tokenOf(alice, bent))).toBe('BadJwt')
    expect(world.plc.hits()).toBe(0)
  })

  test('an exp that parses as infinite', async () => {
    const payload = `{"iss":"${alice.did}","aud":"${SERVICE_DID}","lxm":"${LXM}","exp":1e999}`
    const signed = `${encode({ alg: 'ES256K' })}.${Buffer.from(payload).toString('base64url')}`
    const signature = Buffer.from(await alice.keypair.sign(Buffer.from(signed)))
    expect(await outcome(`${signed}.${signature.toString('base64url')}`)).toBe('BadJwt')
  })

  test('an oversized one, even if valid', async () => {
    expect(await outcome(await tokenOf(alice, { payload: { pad: 'x'.repeat(5000) } }))).toBe(
      alice.did,
    )
    expect(await outcome(await tokenOf(alice, { payload: { pad: 'x'.repeat(7000) } }))).toBe(
      'BadJwt',
    )
  })

  test('one whose claims come from a prototype', async () => {
    const payload = `{"__proto__":{"iss":"${alice.did}","aud":"${SERVICE_DID}","exp":${seconds() + 60}}}`
    const token = `${encode({ alg: 'ES256K' })}.${Buffer.from(payload).toString('base64url')}.abcd`
    expect(await outcome(token)).toBe('BadJwt')
  })
})

test('a session token of a PDS has the error of the reference AppView', async () => {
  expect(await outcome(await tokenOf(alice, { header: { typ: 'at+jwt' } }))).toBe('InvalidToken')
})

test.each(['refresh+jwt', 'dpop+jwt', 'AT+JWT'])(
  'a token of type %s has another purpose',
  async (typ) =>
    expect(await outcome(await tokenOf(alice, { header: { typ } }))).toBe('BadJwtType'),
)

describe('times', () => {
  test('there is no leeway after exp', async () => {
    const token = await tokenOf(alice)
    world.advance((MINUTE - 2) * 1000)
    expect(await outcome(token)).toBe(alice.did)
    world.advance(3000)
    expect(await outcome(token)).toBe('JwtExpired')
  })

  test.each([
    ['expired long ago', { exp: 1 }, 'JwtExpired'],
    ['negative', { exp: -1 }, 'JwtExpired'],
    ['good for a hundred years', { exp: seconds() + 100 * 365 * 86_400 }, 'BadJwt'],
    ['in milliseconds', { exp: Date.now() + 60_000 }, 'BadJwt'],
    ['issued tomorrow', { iat: seconds() + 80_000, exp: seconds() + 80_060 }, 'BadJwt'],
  ])('%s', async (_what, payload, error) => {
    expect(await outcome(await tokenOf(alice, { payload }))).toBe(error)
  })
})

describe('tokens for others', () => {
  test.each([
    ['another service', 'did:web:api.bsky.app'],
    ['another of our services', `${SERVICE_DID}#bsky_notif`],
    ['a DID that only begins like ours', `${SERVICE_DID}.evil.example`],
    ['our DID with two fragments', `${SERVICE_DID}#bsky_appview#x`],
    ['our DID in capitals', SERVICE_DID.toUpperCase()],
    ['an empty audience', ''],
  ])('%s', async (_whom, aud) => {
    expect(await outcome(await tokenOf(alice, { payload: { aud } }))).toBe('BadJwtAudience')
  })

  test.each([
    ['another method', 'app.bsky.feed.getFeed', 'BadJwtLexiconMethod'],
    ['every method', '*', 'BadJwtLexiconMethod'],
    ['a method that only begins like this one', `${LXM}s`, 'BadJwtLexiconMethod'],
    ['no method', undefined, 'BadJwtLexiconMethod'],
    ['null', null, 'BadJwtLexiconMethod'],
    ['an empty method', '', 'BadJwtLexiconMethod'],
  ])('%s', async (_what, lxm, error) => {
    expect(await outcome(await tokenOf(alice, { payload: { lxm } }))).toBe(error)
  })

  test('a token accepted for its method is still refused for another', async () => {
    const token = await tokenOf(alice)
    expect(await outcome(token)).toBe(alice.did)
    const other = world.serviceAuth.verify(token, 'app.bsky.graph.muteActor')
    await expect(other).rejects.toMatchObject({ error: 'BadJwtLexiconMethod' })
    expect(await outcome(token)).toBe(alice.did)
  })

  test('a method accepts tokens for others only if it says so', async () => {
    const chat = await tokenOf(alice, { payload: { lxm: 'chat.bsky.convo.listConvos' } })
    const acceptsLxm = (lxm: string) => lxm.startsWith('chat.bsky.')
    const issuer = await world.serviceAuth.verify(chat, LXM, { acceptsLxm })
    expect(issuer.did).toBe(alice.did)
    const feed = await tokenOf(alice, { payload: { aud: 'did:web:feed.example.org' } })
    await expect(world.serviceAuth.verify(feed, LXM, { acceptsLxm })).rejects.toThrow('audience')
    expect((await world.serviceAuth.verify(feed, LXM, { anyAudience: true })).did).toBe(alice.did)
    const unbound = await tokenOf(alice, { payload: { lxm: undefined } })
    await expect(
      world.serviceAuth.verify(unbound, LXM, { acceptsLxm: () => true }),
    ).rejects.toThrow('lxm')
  })
})

describe('issuers', () => {
  test.each([
    ['a handle', () => 'alice.test'],
    ['an empty text', () => ''],
    ['an incomplete DID', () => 'did:plc'],
    ['an empty fragment', () => `${alice.did}#`],
    ['two fragments', () => `${alice.did}#a#b`],
  ])('%s is refused as not a DID', async (_what, iss) => {
    const token = await tokenOf(alice, { payload: { iss: iss() } })
    expect(await outcome(token)).toBe('BadJwtIss')
    await expect(world.serviceAuth.verify(token, LXM)).rejects.toThrow('not a valid did')
    expect(world.plc.hits()).toBe(0)
  })

  test.each([
    ['an unregistered DID', plcDid('nobody')],
    ['a did:web with a path', 'did:web:example.org:alice'],
    ['an unsupported DID method', 'did:key:zQ3shunBKsXixLxKtC5qeSG9E4J5RkGN57im31pcTzbNQnm5w'],
  ])('%s is unknown', async (_what, iss) => {
    expect(await outcome(await tokenOf(alice, { payload: { iss } }))).toBe('BadJwtIss')
  })

  test('an account without a signing key proves nothing', async () => {
    world.plc.edit(alice.did, (document) => ({ ...document, verificationMethod: [] }))
    expect(await outcome(await tokenOf(alice))).toBe('BadJwtSignature')
  })

  test('if only some issuers may call, no others are looked up', async () => {
    const token = await tokenOf(alice)
    const issuers = new Set(['did:web:mod.example.org'])
    const attempt = world.serviceAuth.verify(token, LXM, { issuers })
    await expect(attempt).rejects.toThrow('Untrusted issuer')
    expect(world.plc.hits()).toBe(0)
    issuers.add(alice.did)
    expect((await world.serviceAuth.verify(token, LXM, { issuers })).did).toBe(alice.did)
  })

  test('an unavailable directory is not the token’s fault', async () => {
    world.plc.failWith(500)
    await expect(outcome(await tokenOf(alice))).rejects.toThrow(IdentityUnavailableError)
  })
})

describe('signatures', () => {
  const unsigned = (header: object) =>
    `${encode(header)}.${encode({ iss: alice.did, aud: SERVICE_DID, lxm: LXM, exp: seconds() + 60 })}`

  test.each(['none', 'None', 'HS256', 'RS256', 'ES384', 'EdDSA', 'es256k', ''])(
    'alg %s is refused before any look-up',
    async (alg) => {
      const signed = unsigned({ typ: 'JWT', alg })
      const signature = Buffer.alloc(64, 1).toString('base64url')
      expect(await outcome(`${signed}.${signature}`)).toBe('BadJwtSignature')
      expect(world.plc.hits()).toBe(0)
    },
  )

  test('an empty signature is not a token', async () => {
    expect(await outcome(`${unsigned({ alg: 'none' })}.`)).toBe('BadJwt')
  })

  test('the public key does not work as a shared secret', async () => {
    const signed = unsigned({ typ: 'JWT', alg: 'HS256' })
    const secret = alice.keypair.did().replace('did:key:', '')
    const signature = createHmac('sha256', secret).update(signed).digest('base64url')
    expect(await outcome(`${signed}.${signature}`)).toBe('BadJwtSignature')
  })

  test.each([
    ['all zero', Buffer.alloc(64)],
    ['all ones', Buffer.alloc(64, 0xff)],
    ['too short', Buffer.alloc(63, 1)],
    ['too long', Buffer.alloc(65, 1)],
    ['in DER', Buffer.from('3006020101020101', 'hex')],
  ])('%s', async (_what, signature) => {
    const token = `${unsigned({ alg: 'ES256K' })}.${signature.toString('base64url')}`
    expect(await outcome(token)).toBe('BadJwtSignature')
    expect(world.plc.hits()).toBe(signature.length === 64 ? 2 : 0)
  })

  test('a valid signature in DER is refused, as the standard requires r and s', async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' })
    const exported = privateKey.export({ format: 'jwk' }).d!
    const keypair = await Secp256k1Keypair.import(Buffer.from(exported, 'base64url'))
    const account = await world.plc.create({ handle: 'der.test' })
    world.plc.edit(account.did, (document) => withKey(document, keypair))
    const [header, payload, raw] = (await tokenOf({ ...account, keypair })).split('.')
    expect(await outcome(`${header}.${payload}.${raw}`)).toBe(account.did)
    const der = sign(
      'sha256',
      Buffer.from(`${header}.${payload}`),
      createPrivateKey({ key: privateKey.export({ format: 'pem', type: 'pkcs8' }) }),
    )
    expect(await outcome(`${header}.${payload}.${der.toString('base64url')}`)).toBe(
      'BadJwtSignature',
    )
  })

  test('another account’s signature', async () => {
    const mallory = await world.plc.create({ handle: 'mallory.test' })
    const token = await tokenOf({ ...mallory, did: alice.did })
    expect(await outcome(token)).toBe('BadJwtSignature')
  })

  test.each([
    ['ES256 over a secp256k1 key', 'secp256k1', 'ES256'],
    ['ES256K over a P-256 key', 'p256', 'ES256K'],
  ] as [string, Curve, string][])('the wrong curve: %s', async (_what, curve, alg) => {
    const account = await world.plc.create({ handle: 'curve.test', curve })
    expect(await outcome(await tokenOf(account, { header: { alg } }))).toBe('BadJwtSignature')
  })

  test('no change of a single character of a good token is accepted', async () => {
    const random = createRandom(testSeed('changed tokens'))
    const token = await tokenOf(alice)
    for (let i = 0; i < 300; i++) {
      const at = random.below(token.length)
      const other = random.pick([
        ...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.',
      ])
      const changed = token.slice(0, at) + other + token.slice(at + 1)
      if (isSameToken(changed, token)) continue
      expect(await outcome(changed), changed).toMatch(/^(BadJwt|JwtExpired)/)
    }
  })
})

/** Compares two tokens by bytes: the last character of a part carries bits that base64 ignores. */
function isSameToken(a: string, b: string): boolean {
  const bytes = (token: string) =>
    token
      .split('.')
      .map((part, i) => (i < 2 ? part : Buffer.from(part, 'base64url').toString('hex')))
  return bytes(a).join('.') === bytes(b).join('.')
}

function withKey(document: Record<string, unknown>, keypair: Keypair): Record<string, unknown> {
  const [method] = document['verificationMethod'] as object[]
  const publicKeyMultibase = keypair.did().replace('did:key:', '')
  return { ...document, verificationMethod: [{ ...method, publicKeyMultibase }] }
}

describe('rotated keys', () => {
  test.each(['secp256k1', 'p256'] as Curve[])('a new key on %s works at once', async (curve) => {
    await outcome(await tokenOf(alice))
    const keypair = await world.plc.rotate(alice.did, curve)
    expect(await outcome(await tokenOf({ ...alice, keypair }))).toBe(alice.did)
    expect(world.plc.hits()).toBe(2)
  })

  test('the old key is refused once the new one is known', async () => {
    const old = await tokenOf(alice)
    expect(await outcome(old)).toBe(alice.did)
    const keypair = await world.plc.rotate(alice.did)
    await outcome(await tokenOf({ ...alice, keypair }))
    expect(await outcome(old)).toBe('BadJwtSignature')
  })

  test('a bad signature causes one more look-up, but a hundred do not cause a hundred', async () => {
    const mallory = await world.plc.create({ handle: 'mallory.test' })
    const forged = await tokenOf({ ...mallory, did: alice.did })
    expect(await outcome(forged)).toBe('BadJwtSignature')
    expect(world.plc.hits(alice.did)).toBe(2)
    for (let i = 0; i < 100; i++) await outcome(forged)
    expect(world.plc.hits(alice.did)).toBeLessThanOrEqual(4)
  })

  test('forged tokens do not lock the real account out', async () => {
    const mallory = await world.plc.create({ handle: 'mallory.test' })
    const forged = await tokenOf({ ...mallory, did: alice.did })
    for (let i = 0; i < 20; i++) await outcome(forged)
    expect(await outcome(await tokenOf(alice))).toBe(alice.did)
  })
})

test('without audiences every token is refused', async () => {
  const closed = createServiceAuth({ resolver: world.resolver, audiences: [] })
  await expect(closed.verify(await tokenOf(alice), LXM)).rejects.toThrow('audience')
})
