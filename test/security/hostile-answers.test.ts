// Hostile answers of other servers: endlessly nested, with keys that reach prototypes, or as CBOR that never
// ends. Each reader rejects the answer or leaves the part out; none overflows the stack, and Object's
// prototype stays unchanged. Stream frames: packages/jetstream/test/decode.test.ts.

import { encode } from '@atproto/lex-cbor'
import { afterEach, describe, expect, test } from 'vitest'
import { readSafeJson } from '../../src/http/server/input.ts'
import { decodeFrame } from '../../src/ingest/labels/frame.ts'
import { fetchIdentity } from '../../src/sources/identity/fetch-identity.ts'
import type { GuardedFetch } from '../../src/sources/identity/guarded-fetch.ts'
import { createPdsClient } from '../../src/sources/pds/pds-client.ts'
import { PdsError } from '../../src/sources/pds/pds-error.ts'
import { superlinear } from '../support/cpu-growth.ts'

const DID = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
const POST = 'app.bsky.feed.post'
const DEPTH = 500_000

afterEach(() => {
  expect(Object.keys(Object.prototype)).toEqual([])
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
})

function answering(body: string): GuardedFetch {
  return async (url) => ({ status: 200, headers: new Headers(), body: Buffer.from(body), url })
}

const nested = (opening: string, closing: string) =>
  `${opening.repeat(DEPTH)}1${closing.repeat(DEPTH)}`
const deepList = nested('[', ']')
const deepObject = nested('{"a":', '}')
const polluting = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'

const entry = (value: string) =>
  `{"uri":"at://${DID}/${POST}/3jzfcijpj2z2a","cid":"bafyreia${'a'.repeat(51)}","value":${value}}`

describe('a PDS', () => {
  const repo = { pds: 'https://pds.test', did: DID }

  test.each([
    ['deep lists', `{"$type":"${POST}","x":${deepList}}`],
    ['deep objects', `{"$type":"${POST}","x":${deepObject}}`],
    ['a prototype', `{"$type":"${POST}","__proto__":{"polluted":true}}`],
    ['a prototype deep inside', `{"$type":"${POST}","x":[${polluting}]}`],
  ])('a record with %s is left out, but not the others of its page', async (_what, value) => {
    const honest = entry('{}')
    const page = `{"records":[${entry(value)}],"x":${honest}}`
    const { records, broken } = await createPdsClient({ fetch: answering(page) }).listRecords(
      repo,
      {
        collection: POST,
      },
    )
    expect([records, broken]).toEqual([[], ['3jzfcijpj2z2a']])
  })

  test.each([
    ['deep lists', deepList],
    ['deep objects', deepObject],
    ['a prototype', polluting],
    ['deep lists as records', `{"records":${deepList}}`],
    ['deep objects as a cursor', `{"records":[],"cursor":${deepObject}}`],
    ['200,000 values', `{"records":[],"x":[${'1,'.repeat(200_000)}1]}`],
    ['a list of deep lists', `{"records":[${deepList}]}`],
  ])('an answer of %s is a bad answer', async (_what, body) => {
    const client = createPdsClient({ fetch: answering(body) })
    await expect(client.listRecords(repo, { collection: POST })).rejects.toThrow(PdsError)
    await expect(client.describeRepo(repo)).rejects.toThrow(PdsError)
  })
})

describe('a DID document', () => {
  test.each([
    ['deep lists', `{"id":"${DID}","service":${deepList},"verificationMethod":${deepObject}}`],
    ['a prototype', `{"id":"${DID}","__proto__":{"polluted":true},"alsoKnownAs":["at://a.test"]}`],
    ['deep aliases', `{"id":"${DID}","alsoKnownAs":[${deepList}]}`],
    ['deep objects alone', deepObject],
    [
      'thousands of keys',
      `{"id":"${DID}","service":[{"id":"#atproto_pds","type":"AtprotoPersonalDataServer","serviceEndpoint":"https://pds.test"}],${Array.from({ length: 4_000 }, (_, i) => `"key ${i}":1`).join()}}`,
    ],
  ])('of %s yields no key and no PDS', async (_what, body) => {
    const options = { fetch: answering(body), plcUrl: 'https://plc.test' }
    const identity = await fetchIdentity(DID, options).catch(() => undefined)
    expect(identity?.signingKey).toBeUndefined()
    expect(identity?.pds).toBeUndefined()
  })
})

describe('a DID document made to be expensive', () => {
  const read = async (document: object) => {
    const fetch = answering(JSON.stringify({ id: DID, ...document }))
    return (await fetchIdentity(DID, { fetch, plcUrl: 'https://plc.test' }))!
  }
  const types = [
    'Multikey',
    'EcdsaSecp256k1VerificationKey2019',
    'EcdsaSecp256r1VerificationKey2019',
  ]

  test.each(types)('with a %s as long as the document is read in linear time', async (type) => {
    const keyOf = (size: number) =>
      read({
        verificationMethod: ['#atproto', '#atproto_label'].map((id) => {
          return { id, type, publicKeyMultibase: `z${'2'.repeat(size)}` }
        }),
      })
    expect(await superlinear(keyOf, 30_000)).toBeUndefined()
    expect(await keyOf(30_000)).toMatchObject({ signingKey: undefined, labelKey: undefined })
  })

  test('leaves little in memory', async () => {
    const service = (id: string, type = 'AtprotoPersonalDataServer') => {
      return { id, type, serviceEndpoint: 'https://pds.test' }
    }
    const pds = service('#atproto_pds')
    const long = 'x'.repeat(20_000)
    const many = Array.from({ length: 300 }, (_, i) => service(`#${i}`))
    const identity = await read({
      service: [service(`#${long}`), service('#a', long), pds, ...many],
    })
    expect(identity.pds).toBe('https://pds.test')
    expect(JSON.stringify(identity).length).toBeLessThan(2_000)
  })
})

describe('a feed generator', () => {
  test.each([
    ['deep lists', `{"feed":${deepList}}`],
    ['deep objects', deepObject],
    ['a prototype', polluting],
    ['a prototype deep inside', `{"feed":[${polluting}]}`],
    ['half of a surrogate pair', '{"feed":"\\ud800"}'],
  ])('%s are rejected', (_what, body) => {
    expect(readSafeJson(Buffer.from(body))).toBeUndefined()
  })

  test('a generator’s or PDS’s answer with more values than a page has is not parsed', () => {
    const keys = (count: number) =>
      Buffer.from(`{${Array.from({ length: count }, (_, i) => `"key ${i}":1`).join()}}`)
    expect(readSafeJson(keys(10_000))).toHaveProperty('key 9999')
    expect(readSafeJson(keys(50_000))).toBeUndefined()
    expect(readSafeJson(Buffer.from(`[${'[],'.repeat(50_000)}[]]`))).toBeUndefined()
  })
})

describe('a labeler’s frames', () => {
  const header = Buffer.from(encode({ op: 1, t: '#labels' }))
  const frame = (body: Buffer) => decodeFrame(Buffer.concat([header, body]))
  const bytes = (...values: number[]) => Buffer.from(values)
  const text = (value: string) => Buffer.concat([bytes(0x60 | value.length), Buffer.from(value)])

  test.each([
    ['endlessly nested lists', Buffer.alloc(DEPTH, 0x81)],
    [
      'endlessly nested maps',
      Buffer.concat(Array.from({ length: 50_000 }, () => bytes(0xa1, 0x61, 0x61))),
    ],
    ['a list that claims four billion entries', bytes(0x9a, 0xff, 0xff, 0xff, 0xff)],
    ['a text that claims four gigabytes', bytes(0x7a, 0xff, 0xff, 0xff, 0xff)],
    ['an unterminated map', bytes(0xbf)],
    ['a duplicate key', Buffer.concat([bytes(0xa2), text('seq'), bytes(1), text('seq'), bytes(2)])],
    ['nested tags', Buffer.alloc(10_000, 0xc6)],
    ['no bytes', bytes()],
  ])('are rejected with %s', (_what, body) => {
    expect(frame(body)).toBeUndefined()
  })

  test.each([
    ['a text', 'FutureCursor', 'FutureCursor'],
    ['an object that cannot be converted to text', { toString: 1, valueOf: {} }, ''],
    ['a long text', 'x'.repeat(100_000), 'x'.repeat(100)],
  ])('that report an error with %s are read as errors', (_what, error, notified) => {
    const data = Buffer.concat([encode({ op: -1 }), encode({ error } as never)])
    expect(decodeFrame(data)).toEqual({ kind: 'error', error: notified })
  })

  test('with a prototype in them pollute none', () => {
    const labels = Buffer.concat([text('labels'), bytes(0x80)])
    const proto = Buffer.concat([text('__proto__'), bytes(0xa1), text('polluted'), bytes(0xf5)])
    const seq = Buffer.concat([text('seq'), bytes(7)])
    const got = frame(Buffer.concat([bytes(0xa3), seq, labels, proto]))
    expect(got === undefined || got.kind === 'labels').toBe(true)
  })
})
