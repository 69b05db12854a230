// The parts that are read from a DID document, one by one, and compared with the library's own reading of it.

import { bytesToMultibase, P256Keypair, Secp256k1Keypair } from '@atproto/crypto'
import { parseToAtprotoDocument } from '@atproto/identity'
import { describe, expect, test } from 'vitest'
import { parseDidDocument, serviceEndpoint } from '../../../src/sources/identity/did-document.ts'
import { verifyingKey } from '../../../src/sources/identity/verifying-key.ts'
import { type DidDocument, didDocument, plcDid } from '../../support/plc-double.ts'

const did = plcDid('alice')
const keypair = await Secp256k1Keypair.create()
const plain = didDocument({
  did,
  handle: 'alice.test',
  pds: 'https://pds.example.org',
  signingKey: keypair.did(),
})
const parse = (changes: DidDocument) => parseDidDocument(did, { ...plain, ...changes })

test('an ordinary document gives handle, key and PDS', () => {
  expect(parseDidDocument(did, plain)).toEqual({
    did,
    handle: 'alice.test',
    signingKey: keypair.did(),
    labelKey: undefined,
    pds: 'https://pds.example.org',
    services: [
      {
        id: '#atproto_pds',
        type: 'AtprotoPersonalDataServer',
        endpoint: 'https://pds.example.org',
      },
    ],
    keys: [{ id: '#atproto', type: 'Multikey', multibase: keypair.did().slice('did:key:'.length) }],
  })
})

test('keeps keys of any kind as written in the document, within bounds', () => {
  const method = (id: string, more: object = {}) => ({ id, type: 'Multikey', ...more })
  const odd = [
    method('#a', { publicKeyMultibase: 'anything' }),
    method(`${did}#b`, { type: 'JsonWebKey2020' }),
    ...[method('c'), method('#d', { publicKeyMultibase: 'x'.repeat(300) }), null, 'text'],
    method('#e', { publicKeyMultibase: 7 }),
  ]
  expect(parse({ verificationMethod: odd })?.keys).toEqual([
    { id: '#a', type: 'Multikey', multibase: 'anything' },
    { id: '#b', type: 'JsonWebKey2020', multibase: '' },
  ])
  const many = Array.from({ length: 40 }, (_, i) => method(`#${i}`))
  expect(parse({ verificationMethod: many })?.keys).toHaveLength(16)
})

test('the library reads the same document the same way', () => {
  // biome-ignore lint/suspicious/noExplicitAny: the library wants its own type of document
  const theirs = parseToAtprotoDocument(plain as any)
  const { handle, signingKey, pds } = parseDidDocument(did, plain)!
  expect({ did, handle, signingKey, pds }).toEqual(theirs)
})

test.each([
  ['nothing', undefined],
  ['null', null],
  ['a list', [plain]],
  ['text', 'did:plc:x'],
  ['another account’s document', { ...plain, id: plcDid('mallory') }],
  ['a document without an id', { ...plain, id: undefined }],
  ['a document whose id has a fragment', { ...plain, id: `${did}#atproto` }],
])('%s is not the document of the DID', (_what, document) => {
  expect(parseDidDocument(did, document)).toBeUndefined()
})

describe('handles', () => {
  test.each([
    ['the first at:// alias', ['https://x.test', 'at://Alice.Test', 'at://b.test'], 'alice.test'],
    ['none without an alias', undefined, undefined],
    ['none if the first alias is malformed', ['at://not a handle', 'at://b.test'], undefined],
    ['none from a DID', [`at://${did}`], undefined],
    ['none from aliases that are not text', [1, null, {}], undefined],
    ['none if the aliases are not a list', 'at://alice.test', undefined],
  ])('%s', (_rule, alsoKnownAs, handle) => {
    expect(parse({ alsoKnownAs })?.handle).toBe(handle)
  })
})

describe('keys', () => {
  const method = (changes: object) => ({
    verificationMethod: [{ id: `${did}#atproto`, type: 'Multikey', controller: did, ...changes }],
  })
  const multibase = keypair.did().replace('did:key:', '')
  // A compressed secp256k1 key with x = 0, for which there is no y.
  const pointless = bytesToMultibase(Buffer.from(`e70102${'00'.repeat(32)}`, 'hex'), 'base58btc')

  test('the id may omit the DID', () => {
    const document = method({ id: '#atproto', publicKeyMultibase: multibase })
    expect(parse(document)?.signingKey).toBe(keypair.did())
  })

  test.each([
    ['EcdsaSecp256k1VerificationKey2019', Secp256k1Keypair],
    ['EcdsaSecp256r1VerificationKey2019', P256Keypair],
  ])('legacy type %s', async (type, Keys) => {
    const legacy = await Keys.create()
    const publicKeyMultibase = `z${legacy.publicKeyStr('base58btc')}`
    expect(parse(method({ type, publicKeyMultibase }))?.signingKey).toBe(legacy.did())
  })

  test('the labelling key is separate', async () => {
    const label = await P256Keypair.create()
    const document = parse({
      verificationMethod: [
        ...(plain['verificationMethod'] as object[]),
        {
          id: `${did}#atproto_label`,
          type: 'Multikey',
          controller: did,
          publicKeyMultibase: label.did().replace('did:key:', ''),
        },
      ],
    })
    expect([document?.signingKey, document?.labelKey]).toEqual([keypair.did(), label.did()])
  })

  test('leaves it to the verifier whether a key is a point on its curve', () => {
    const document = parse(method({ id: '#atproto', publicKeyMultibase: pointless }))
    expect(document?.signingKey).toBe(`did:key:${pointless}`)
    expect(() => verifyingKey(document!.signingKey!)).toThrow()
  })

  test.each([
    ['with another id', method({ id: `${did}#other`, publicKeyMultibase: multibase })],
    ['of another DID', method({ id: 'did:plc:other#atproto', publicKeyMultibase: multibase })],
    ['of an unknown type', method({ type: 'Ed25519', publicKeyMultibase: multibase })],
    ['that is malformed', method({ publicKeyMultibase: 'zzzz' })],
    ['that is not text', method({ publicKeyMultibase: { x: 1 } })],
    ['missing', { verificationMethod: undefined }],
  ])('gets none from a key %s', (_what, document) => {
    const identity = parse(document)
    expect(identity).toBeDefined()
    expect(identity?.signingKey).toBeUndefined()
  })
})

describe('services', () => {
  const service = (changes: object) => ({
    service: [
      {
        id: '#atproto_pds',
        type: 'AtprotoPersonalDataServer',
        serviceEndpoint: 'https://pds.example.org/',
        ...changes,
      },
    ],
  })

  test.each([
    ['only its origin counts', { serviceEndpoint: 'https://pds.example.org/path?q' }],
    ['the id may carry the DID', { id: `${did}#atproto_pds` }],
  ])('for the PDS, %s', (_rule, changes) => {
    expect(parse(service(changes))?.pds).toBe('https://pds.example.org')
  })

  test.each([
    ['another type', { type: 'BskyFeedGenerator' }],
    ['another id', { id: '#pds' }],
    ['an address that is not http', { serviceEndpoint: 'ftp://pds.example.org' }],
    ['an address without a host', { serviceEndpoint: 'https://' }],
    ['a structured endpoint', { serviceEndpoint: { uri: 'https://pds.example.org' } }],
    ['an overlong endpoint', { serviceEndpoint: `https://a/${'x'.repeat(3000)}` }],
  ])('%s is not a PDS', (_what, changes) => {
    expect(parse(service(changes))?.pds).toBeUndefined()
  })

  test('finds any other service by its id, and by its type if given', () => {
    const endpoint = 'https://feed.example.org'
    const identity = parse(
      service({ id: '#bsky_fg', type: 'BskyFeedGenerator', serviceEndpoint: endpoint }),
    )!
    expect(serviceEndpoint(identity, '#bsky_fg')).toBe(endpoint)
    expect(serviceEndpoint(identity, 'bsky_fg', 'BskyFeedGenerator')).toBe(endpoint)
    expect(serviceEndpoint(identity, 'bsky_fg', 'BskyNotificationService')).toBeUndefined()
    expect(serviceEndpoint(identity, 'bsky_notif')).toBeUndefined()
  })
})
