// Tricks with the encoding of a token: a claim given twice, and encodings that some decoders treat as the
// same. Complements test/sources/identity/service-jwt.test.ts.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ServiceAuthError } from '../../src/sources/identity/service-jwt.ts'
import { type IdentityWorld, SERVICE_DID, startIdentityWorld } from '../support/identity-world.ts'
import type { PlcAccount } from '../support/plc-double.ts'
import { signServiceJwt } from '../support/service-jwt.ts'

const LXM = 'app.bsky.feed.getTimeline'

let world: IdentityWorld
let alice: PlcAccount
let mallory: PlcAccount

beforeAll(async () => {
  world = await startIdentityWorld()
  alice = await world.plc.create({ handle: 'alice.test' })
  mallory = await world.plc.create({ handle: 'mallory.test' })
})
afterAll(() => world.close())

async function outcome(token: string): Promise<string> {
  try {
    return (await world.serviceAuth.verify(token, LXM)).did
  } catch (error) {
    if (!(error instanceof ServiceAuthError)) throw error
    return error.error
  }
}

/** Returns a token with this payload, validly signed by Mallory. */
async function signedByMallory(payload: string, header?: string): Promise<string> {
  const alg = mallory.keypair.jwtAlg
  const parts = [header ?? `{"typ":"JWT","alg":"${alg}"}`, payload]
  const signed = parts.map((part) => Buffer.from(part).toString('base64url')).join('.')
  const signature = await mallory.keypair.sign(Buffer.from(signed))
  return `${signed}.${Buffer.from(signature).toString('base64url')}`
}

const exp = () => Math.floor(Date.now() / 1000) + 60

describe('a claim given twice', () => {
  test.each([
    ['iss, the signer’s last', (a: string, m: string) => `"iss":"${a}","iss":"${m}"`, 'mallory'],
    ['iss, the signer’s first', (a: string, m: string) => `"iss":"${m}","iss":"${a}"`, 'refused'],
    ['iss, one escaped', (a: string, m: string) => `"iss":"${m}","\\u0069ss":"${a}"`, 'refused'],
    ['ISS in capitals', (a: string, m: string) => `"iss":"${m}","ISS":"${a}"`, 'mallory'],
  ])('%s: never Alice', async (_what, issuers, expected) => {
    const claims = `${issuers(alice.did, mallory.did)},"aud":"${SERVICE_DID}","lxm":"${LXM}"`
    const got = await outcome(await signedByMallory(`{${claims},"exp":${exp()}}`))
    expect(got).toBe(expected === 'mallory' ? mallory.did : 'BadJwtSignature')
  })

  test('the last exp and aud count, as for the signer', async () => {
    const iss = `"iss":"${mallory.did}","lxm":"${LXM}"`
    const late = `{${iss},"aud":"${SERVICE_DID}","exp":${exp()},"exp":1}`
    expect(await outcome(await signedByMallory(late))).toBe('JwtExpired')
    const elsewhere = `{${iss},"aud":"${SERVICE_DID}","aud":"did:web:other.test","exp":${exp()}}`
    expect(await outcome(await signedByMallory(elsewhere))).toBe('BadJwtAudience')
  })

  test('as does the last alg', async () => {
    const claims = `{"iss":"${mallory.did}","aud":"${SERVICE_DID}","lxm":"${LXM}","exp":${exp()}}`
    const header = `{"alg":"${mallory.keypair.jwtAlg}","alg":"none"}`
    expect(await outcome(await signedByMallory(claims, header))).toBe('BadJwtSignature')
  })
})

describe('another encoding of the same bytes', () => {
  test.each([
    ['padding', (token: string) => `${token}==`],
    ['padding inside', (token: string) => token.replace('.', '=.')],
    ['a line break at the end', (token: string) => `${token}\n`],
    ['a space inside', (token: string) => token.replace('.', ' .')],
    ['the plain base64 alphabet', (token: string) => `${token.slice(0, -4)}+/+/`],
    ['a fourth part', (token: string) => `${token}.`],
    ['an empty first part', (token: string) => `.${token}`],
    ['percent signs', (token: string) => token.replace('.', '%2E')],
    ['a NUL', (token: string) => `${token}\u0000`],
    ['a letter that normalises to e', (token: string) => token.replace('e', '\u212f')],
  ])('%s is refused', async (_what, bend) => {
    const claims = { iss: alice.did, aud: SERVICE_DID, lxm: LXM }
    const token = await signServiceJwt(alice.keypair, claims)
    expect(await outcome(token)).toBe(alice.did)
    expect(await outcome(bend(token))).toBe('BadJwt')
    expect(await outcome(token)).toBe(alice.did)
  })
})
