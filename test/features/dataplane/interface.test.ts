// The dataplane's port as any client sees it: its protocols, secret, errors and limits, and that the table of
// calls is accurate.

import { Code, ConnectError, createClient, type Transport } from '@connectrpc/connect'
import { createConnectTransport, createGrpcTransport } from '@connectrpc/connect-node'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bsyncSupport, support } from '../../../src/features/dataplane/calls/support.ts'
import { Service } from '../../../src/features/dataplane/generated/bsky-pb.ts'
import { Service as BsyncService } from '../../../src/features/dataplane/generated/bsync-pb.ts'
import { parseDidDocument } from '../../../src/sources/identity/did-document.ts'
import { type HydratedWorld, hydrateWorld } from '../../support/hydration.ts'
import { createRandom } from '../../support/random.ts'
import { randomWorld } from '../../support/random-world.ts'
import { type DataplaneWorld, startDataplaneOver } from './dataplane-world.ts'

const TOKEN = 'a-secret-of-nobody'
const KNOWN = 'did:web:known.test'
const verificationMethod = [
  { id: '#atproto', type: 'Multikey', publicKeyMultibase: 'zQ3' },
  { id: `${KNOWN}#other`, type: 'EcdsaSecp256k1VerificationKey2019', publicKeyMultibase: 'z2' },
  { id: '#jwk', type: 'JsonWebKey2020', publicKeyJwk: {} },
]

let ours: HydratedWorld
let dataplane: DataplaneWorld
let guarded: DataplaneWorld

beforeAll(async () => {
  ours = hydrateWorld(randomWorld(createRandom(7), 40))
  const identity = parseDidDocument(KNOWN, { id: KNOWN, verificationMethod })!
  dataplane = await startDataplaneOver(ours, { identities: new Map([[KNOWN, identity]]) })
  guarded = await startDataplaneOver(ours, { settings: { dataplaneToken: TOKEN } })
})

afterAll(async () => {
  await dataplane.close()
  await guarded.close()
  ours.close()
})

type AnyCall = (request: object) => Promise<object>

function callsOf(transport: Transport): Record<string, AnyCall> {
  return createClient(Service, transport) as unknown as Record<string, AnyCall>
}

async function refusal(call: Promise<unknown>): Promise<ConnectError> {
  const error = await call.then(
    () => undefined,
    (thrown) => thrown,
  )
  expect(error).toBeInstanceOf(ConnectError)
  return error
}

const grpc = (world: DataplaneWorld) => callsOf(createGrpcTransport({ baseUrl: world.url }))

describe('one port speaks', () => {
  test.each([
    ['gRPC', '2'],
    ['Connect', '2'],
    ['Connect', '1.1'],
  ] as const)('%s over HTTP/%s', async (protocol, httpVersion) => {
    const options = { baseUrl: dataplane.url, httpVersion }
    const transport =
      protocol === 'gRPC' ? createGrpcTransport(options) : createConnectTransport(options)
    const [did] = [ours.written.actors.didOf(1)]
    const { actors } = (await callsOf(transport)['getActors']!({
      dids: [did, 'did:web:none'],
    })) as {
      actors: { exists: boolean }[]
    }
    expect(actors.map(({ exists }) => exists)).toEqual([true, false])
  })
})

describe('the table of calls is accurate', () => {
  test.each(Object.keys(support) as (keyof typeof support)[])('of %s', async (name) => {
    const isThere = !(typeof support[name] === 'object' && 'unimplemented' in support[name])
    const outcome = await grpc(dataplane)[name]!({}).then(
      () => undefined,
      (error: ConnectError) => error,
    )
    if (isThere) return expect(outcome?.code).not.toBe(Code.Unimplemented)
    expect(outcome?.code).toBe(Code.Unimplemented)
    expect(outcome?.rawMessage.toLowerCase()).toContain(`bsky.service.${name}`.toLowerCase())
  })

  test.each(Object.keys(bsyncSupport))('of bsync’s %s', async (name) => {
    const support = bsyncSupport[name as keyof typeof bsyncSupport]
    const isThere = !(typeof support === 'object' && 'unimplemented' in support)
    const transport = createConnectTransport({ baseUrl: dataplane.url, httpVersion: '1.1' })
    const calls = createClient(BsyncService, transport) as unknown as Record<string, AnyCall>
    const code = await calls[name]!({}).then(
      () => undefined,
      (error: ConnectError) => error.code,
    )
    expect(code === Code.Unimplemented).toBe(!isThere && name !== 'putOperation')
  })

  test('an unknown call is refused by its name', async () => {
    const response = await fetch(`${dataplane.url}/bsky.Service/GetTomorrow`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    })
    expect(response.status).toBe(501)
    expect(await response.json()).toEqual({
      code: 'unimplemented',
      message: 'bsky.Service.GetTomorrow is not implemented',
    })
  })
})

describe('a client without the secret', () => {
  test.each([undefined, 'Bearer wrong', `Bearer ${TOKEN}x`, `Basic ${TOKEN}`])(
    '%s',
    async (given) => {
      const transport = createGrpcTransport({
        baseUrl: guarded.url,
        interceptors: [
          (next) => (request) => {
            if (given) request.header.set('authorization', given)
            return next(request)
          },
        ],
      })
      const error = await refusal(callsOf(transport)['ping']!({}))
      expect(error.code).toBe(Code.Unauthenticated)
    },
  )

  test('and one with it', async () => {
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
    const url = `${guarded.url}/bsky.Service/Ping`
    const response = await fetch(url, { method: 'POST', headers, body: '{}' })
    expect(response.status).toBe(200)
  })
})

test('the search service’s interface accepts the parameters that the frontend sends', async () => {
  const search = async (query: string) => {
    const path = '/xrpc/app.bsky.unspecced.searchPostsSkeleton'
    const response = await fetch(`${dataplane.url}${path}?${query}`)
    return { status: response.status, body: await response.json() }
  }
  expect(await search('q=nothing&author=did:web:none&lang=en')).toEqual({
    status: 200,
    body: { posts: [] },
  })
  expect(await search('q=word&cursor=x')).toMatchObject({ status: 400 })
})

describe('errors and limits', () => {
  test('a foreign cursor is the client’s mistake', async () => {
    const did = ours.written.actors.didOf(1)
    for (const name of ['getTimeline', 'getAuthorFeed', 'getFollows', 'getActorLikes'] as const) {
      const error = await refusal(grpc(dataplane)[name]!({ actorDid: did, cursor: 'x', limit: 5 }))
      expect([name, error.code]).toEqual([name, Code.InvalidArgument])
    }
  })

  test('a page of notifications may begin at a time, as the frontend requests', async () => {
    const request = { actorDid: ours.written.actors.didOf(1), limit: 5 }
    const call = grpc(dataplane)['getNotifications']!
    await call({ ...request, cursor: '2026-11-22T10:00:00.000Z' })
    const error = await refusal(call({ ...request, cursor: '2026-nonsense' }))
    expect(error.code).toBe(Code.InvalidArgument)
  })

  test('a request for more than a call’s limit is refused', async () => {
    const uris = Array.from({ length: 10_001 }, () => 'at://x')
    const many = await refusal(grpc(dataplane)['getPostRecords']!({ uris }))
    expect(many.code).toBe(Code.InvalidArgument)
    const huge = await refusal(grpc(dataplane)['getPostRecords']!({ uris: ['x'.repeat(5 << 20)] }))
    expect(huge.code).toBe(Code.ResourceExhausted)
  })

  test('missing records keep their place in the answer', async () => {
    const uris = ['at://did:web:none/app.bsky.feed.post/3aaaaaaaaaa2a', 'nothing at all']
    const answer = (await grpc(dataplane)['getPostRecords']!({ uris })) as {
      records: { record: Uint8Array; cid: string }[]
      meta: object[]
    }
    expect(answer.records.map(({ record, cid }) => [Buffer.from(record).toString(), cid])).toEqual([
      ['null', ''],
      ['null', ''],
    ])
    expect(answer.meta).toHaveLength(2)
  })

  test('an unknown account', async () => {
    const error = await refusal(grpc(dataplane)['getIdentityByDid']!({ did: 'did:web:none' }))
    expect([error.code, error.rawMessage]).toEqual([Code.NotFound, 'identity not found'])
  })

  test('an account’s keys, each as in its document', async () => {
    const { keys } = (await grpc(dataplane)['getIdentityByDid']!({ did: KNOWN })) as {
      keys: Uint8Array
    }
    expect(JSON.parse(Buffer.from(keys).toString())).toEqual({
      atproto: { Type: 'Multikey', PublicKeyMultibase: 'zQ3' },
      other: { Type: 'EcdsaSecp256k1VerificationKey2019', PublicKeyMultibase: 'z2' },
      jwk: { Type: 'JsonWebKey2020', PublicKeyMultibase: '' },
    })
  })

  test('every call is counted by its name, with its outcome', async () => {
    dataplane.counted.length = 0
    await grpc(dataplane)['ping']!({})
    await refusal(grpc(dataplane)['getIdentityByDid']!({ did: 'did:web:none' }))
    expect(dataplane.counted).toEqual([
      ['/xrpc/bsky.Service.ping', 200],
      ['/xrpc/bsky.Service.getIdentityByDid', 404],
    ])
  })
})
