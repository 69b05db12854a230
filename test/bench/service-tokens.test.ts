// The benchmark's service JWTs, signed with the platform's keys, against the independent verification of
// @atproto/crypto.

import { verifySignature } from '@atproto/crypto'
import { expect, test } from 'vitest'
import { createViewerKey, signServiceToken } from '../../bench/load/service-tokens.ts'
import { didOf } from '../support/records.ts'

const claims = { aud: 'did:web:bench.test', lxm: 'app.bsky.feed.getTimeline' }

test('a hundred tokens verify under their viewer’s did:key with low s, and all differ', async () => {
  const key = createViewerKey(didOf('viewer'))
  const tokens = Array.from({ length: 100 }, () => signServiceToken(key, claims))
  expect(new Set(tokens).size).toBe(100)
  for (const token of tokens) {
    const [header = '', payload = '', signature = ''] = token.split('.')
    const signed = Buffer.from(`${header}.${payload}`)
    // Malleable (high s) signatures are refused here.
    const isGood = await verifySignature(key.didKey, signed, Buffer.from(signature, 'base64url'))
    expect(isGood).toBe(true)
  }
})

test('a token states its issuer, audience, method and lifetime', () => {
  const key = createViewerKey(didOf('viewer'))
  const [header, payload] = signServiceToken(key, claims)
    .split('.')
    .slice(0, 2)
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()))
  expect(header).toEqual({ typ: 'JWT', alg: 'ES256K' })
  expect(payload).toMatchObject({ ...claims, iss: key.did })
  expect(payload.exp - payload.iat).toBe(3600)
})
