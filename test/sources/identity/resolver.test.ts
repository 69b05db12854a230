// The resolver against a PLC double and a did:web host over real HTTP, with a simulated clock; handles with a
// fake DNS and fake hosts.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { HOUR_MS, SECOND_MS } from '../../../src/base/util/durations.ts'
import { FetchError } from '../../../src/sources/identity/fetch-error.ts'
import {
  documentUrl,
  IdentityUnavailableError,
} from '../../../src/sources/identity/fetch-identity.ts'
import {
  createGuardedFetch,
  type GuardedFetch,
} from '../../../src/sources/identity/guarded-fetch.ts'
import type { LookupAddresses } from '../../../src/sources/identity/guarded-lookup.ts'
import type { ResolveTxt } from '../../../src/sources/identity/handle-lookup.ts'
import { createResolver, type Resolver } from '../../../src/sources/identity/resolver.ts'
import { until } from '../../support/eventually.ts'
import { type IdentityWorld, startIdentityWorld } from '../../support/identity-world.ts'
import { didDocument, plcDid } from '../../support/plc-double.ts'

let world: IdentityWorld
beforeEach(async () => {
  world = await startIdentityWorld()
})
afterEach(() => world.close())

describe('did:plc', () => {
  test('is looked up once and cached', async () => {
    const { did, keypair } = await world.plc.create({ handle: 'alice.test' })
    const first = await world.resolver.resolve(did)
    world.advance(HOUR_MS - SECOND_MS)
    expect(await world.resolver.resolve(did)).toBe(first)
    expect(first?.signingKey).toBe(keypair.did())
    expect(world.plc.hits(did)).toBe(1)
  })

  test('a hundred concurrent requests share one look-up', async () => {
    const { did } = await world.plc.create({ handle: 'alice.test' })
    world.plc.lag(20)
    const request = Array.from({ length: 100 }, () => world.resolver.resolve(did))
    expect(new Set(await Promise.all(request)).size).toBe(1)
    expect(world.plc.hits(did)).toBe(1)
  })

  test('after an hour it is answered from the cache and renewed in the background', async () => {
    const { did, keypair } = await world.plc.create({ handle: 'alice.test' })
    await world.resolver.resolve(did)
    const rotated = await world.plc.rotate(did)
    world.advance(HOUR_MS + SECOND_MS)
    expect((await world.resolver.resolve(did))?.signingKey).toBe(keypair.did())
    const renewed = async () => (await world.resolver.resolve(did))?.signingKey === rotated.did()
    await until(renewed)
    expect(world.plc.hits(did)).toBe(2)
  })

  test('an unreachable directory has no effect for a day, and fails requests after that', async () => {
    const { did } = await world.plc.create({ handle: 'alice.test' })
    await world.resolver.resolve(did)
    world.plc.failWith(500)
    world.advance(24 * HOUR_MS - SECOND_MS)
    expect((await world.resolver.resolve(did))?.did).toBe(did)
    await until(() => world.plc.hits(did) === 2)
    world.advance(10 * SECOND_MS)
    await expect(world.resolver.resolve(did)).rejects.toThrow(IdentityUnavailableError)
  })

  test('backs off briefly from a failing directory, then asks again', async () => {
    const { did } = await world.plc.create({ handle: 'alice.test' })
    world.plc.failWith(503)
    for (let i = 0; i < 5; i++) await expect(world.resolver.resolve(did)).rejects.toThrow()
    expect(world.plc.hits(did)).toBe(1)
    world.plc.failWith(undefined)
    world.advance(6 * SECOND_MS)
    expect((await world.resolver.resolve(did))?.did).toBe(did)
  })

  test('a missing account is cached for a while, and found once it exists', async () => {
    const did = plcDid('unborn')
    for (let i = 0; i < 5; i++) expect(await world.resolver.resolve(did)).toBeUndefined()
    expect(world.plc.hits(did)).toBe(1)
    world.plc.edit(did, () =>
      didDocument({ did, handle: 'unborn.test', pds: 'https://pds.test', signingKey: 'did:key:z' }),
    )
    world.advance(31 * SECOND_MS)
    expect((await world.resolver.resolve(did))?.handle).toBe('unborn.test')
  })

  test('a tombstoned account is gone at the next renewal', async () => {
    const { did } = await world.plc.create({ handle: 'alice.test' })
    await world.resolver.resolve(did)
    world.plc.edit(did, () => undefined)
    expect(await world.resolver.resolve(did, { forceRefresh: true })).toBeUndefined()
    expect(await world.resolver.resolve(did)).toBeUndefined()
  })

  test('a document about another DID is ignored', async () => {
    const { did } = await world.plc.create({ handle: 'alice.test' })
    const mallory = await world.plc.create({ handle: 'mallory.test' })
    world.plc.edit(did, () => world.plc.document(mallory.did))
    expect(await world.resolver.resolve(did)).toBeUndefined()
  })

  test('a flood of made-up DIDs evicts no existing account', async () => {
    const { did } = await world.plc.create({ handle: 'alice.test' })
    const nobody: GuardedFetch = async (url) => {
      const isAlice = url.endsWith(did)
      const body = Buffer.from(JSON.stringify(isAlice ? world.plc.document(did) : {}))
      requested.push(url)
      return { status: isAlice ? 200 : 404, headers: new Headers(), body, url }
    }
    const requested: string[] = []
    const resolver = createResolver({ fetch: nobody, plcUrl: 'https://plc.test' })
    await resolver.resolve(did)
    for (let i = 0; i < 30_000; i++) await resolver.resolve(plcDid(`nobody ${i}`))
    await resolver.resolve(did)
    expect(requested.filter((url) => url.endsWith(did))).toHaveLength(1)
  })
})

test.each([
  { atDirectory: undefined, expected: 16 },
  { atDirectory: 32, expected: 32 },
])('a flood of requests is queued, and refused once the queue is full: %o', async (limit) => {
  const { atDirectory, expected } = limit
  let running = 0
  let most = 0
  const slow: GuardedFetch = async (url) => {
    running += 1
    most = Math.max(most, running)
    await new Promise((resolve) => setImmediate(resolve))
    running -= 1
    return { status: 404, headers: new Headers(), body: Buffer.alloc(0), url }
  }
  const plcUrl = 'https://plc.test'
  const resolver = createResolver({ fetch: slow, plcUrl, ...(atDirectory && { atDirectory }) })
  const request = Array.from({ length: 3000 }, (_, i) => resolver.resolve(plcDid(`flood ${i}`)))
  const settled = await Promise.allSettled(request)
  const refused = settled.filter(({ status }) => status === 'rejected')
  expect(most).toBe(expected)
  expect(refused).toHaveLength(3000 - expected - 2000)
  expect(await resolver.resolve(plcDid('after the flood'))).toBeUndefined()
})

describe('a flood of strangers does not affect a member', () => {
  const answer = (url: string, document: unknown) => ({
    status: document ? 200 : 404,
    headers: new Headers(),
    body: Buffer.from(JSON.stringify(document ?? {})),
    url,
  })
  const documentOf = (did: string) =>
    didDocument({ did, handle: 'a.test', pds: 'https://pds.test', signingKey: 'did:key:z' })
  const member = plcDid('the member')
  const isMember = (did: string) => did === member

  test('existing accounts do not evict the member either', async () => {
    const requested: string[] = []
    const fetch: GuardedFetch = async (url) => {
      const did = url.slice(url.indexOf('did:'))
      requested.push(did)
      return answer(url, documentOf(did))
    }
    const members = new Set<string>()
    const resolver = createResolver({
      fetch,
      plcUrl: 'https://plc.test',
      isMember: (did) => members.has(did),
    })
    await resolver.resolve(member)
    members.add(member)
    await resolver.resolve(member)
    for (let i = 0; i < 25_000; i++) await resolver.resolve(plcDid(`stranger ${i}`))
    await resolver.resolve(member)
    expect(requested.filter((did) => did === member)).toHaveLength(1)
  })

  test('a member that is not in memory does not wait for others', async () => {
    const never = Promise.withResolvers<void>()
    const fetch: GuardedFetch = async (url) => {
      if (!url.endsWith(member)) await never.promise
      return answer(url, url.endsWith(member) ? documentOf(member) : undefined)
    }
    const resolver = createResolver({ fetch, plcUrl: 'https://plc.test', isMember })
    const flood = Array.from({ length: 3000 }, (_, i) => resolver.resolve(plcDid(`flood ${i}`)))
    expect((await resolver.resolve(member))?.did).toBe(member)
    never.resolve()
    await Promise.allSettled(flood)
  })

  test('a single directory failure locks out no member; strangers have to retry', async () => {
    const requested: string[] = []
    const fetch: GuardedFetch = async (url) => {
      const did = url.slice(url.indexOf('did:'))
      requested.push(did)
      if (requested.filter((value) => value === did).length === 1)
        throw new FetchError('timeout', url)
      return answer(url, documentOf(did))
    }
    const resolver = createResolver({ fetch, plcUrl: 'https://plc.test', isMember })
    const stranger = plcDid('a stranger')
    expect((await resolver.resolve(member))?.did).toBe(member)
    await expect(resolver.resolve(stranger)).rejects.toThrow(IdentityUnavailableError)
    expect(requested).toEqual([member, member, stranger])
  })

  test('slow names of one domain do not delay handles of another', async () => {
    const never = Promise.withResolvers<void>()
    let requested = 0
    const resolveTxt: ResolveTxt = async (name) => {
      if (!name.endsWith('.slow.com')) return [[`did=${plcDid(name)}`]]
      requested += 1
      await never.promise
      return []
    }
    const fetch: GuardedFetch = async (url) => answer(url, undefined)
    const resolver = createResolver({ fetch, plcUrl: 'https://plc.test', resolveTxt })
    const flood = Array.from({ length: 3_000 }, (_, i) => resolver.resolveHandle(`${i}.slow.com`))
    const settled = Promise.allSettled(flood)
    const quick = Array.from({ length: 40 }, (_, i) => resolver.resolveHandle(`${i}.quick.org`))
    expect(await Promise.all(quick)).not.toContain(undefined)
    expect(requested).toBeLessThanOrEqual(16)
    never.resolve()
    await settled
  })

  test('slow hosts of did:web accounts and of handles do not delay did:plc', async () => {
    const never = Promise.withResolvers<void>()
    const newcomer = plcDid('newcomer')
    const fetch: GuardedFetch = async (url) => {
      if (!url.endsWith(newcomer)) await never.promise
      return answer(url, url.endsWith(newcomer) ? documentOf(newcomer) : undefined)
    }
    const resolveTxt: ResolveTxt = async () => []
    const resolver = createResolver({ fetch, plcUrl: 'https://plc.test', resolveTxt })
    const flood = Array.from({ length: 300 }, (_, i) => [
      resolver.resolve(`did:web:slow${i}.test`),
      resolver.resolveHandle(`slow${i}.example.com`),
    ]).flat()
    expect((await resolver.resolve(newcomer))?.did).toBe(newcomer)
    never.resolve()
    await Promise.allSettled(flood)
  })
})

describe('renewal on demand', () => {
  test('fetches the new key at once', async () => {
    const { did } = await world.plc.create({ handle: 'alice.test' })
    await world.resolver.resolve(did)
    const rotated = await world.plc.rotate(did, 'p256')
    const renewed = await world.resolver.resolve(did, { forceRefresh: true })
    expect(renewed?.signingKey).toBe(rotated.did())
  })

  test('is limited per DID, and allowed again later', async () => {
    const { did } = await world.plc.create({ handle: 'alice.test' })
    const other = await world.plc.create({ handle: 'bob.test' })
    for (let i = 0; i < 50; i++) await world.resolver.resolve(did, { forceRefresh: true })
    expect(world.plc.hits(did)).toBe(3)
    await world.resolver.resolve(other.did, { forceRefresh: true })
    expect(world.plc.hits(other.did)).toBe(1)
    world.advance(61 * SECOND_MS)
    await world.resolver.resolve(did, { forceRefresh: true })
    expect(world.plc.hits(did)).toBe(4)
  })

  test('is also limited for DIDs that do not exist', async () => {
    const did = plcDid('nobody')
    for (let i = 0; i < 50; i++) await world.resolver.resolve(did, { forceRefresh: true })
    expect(world.plc.hits(did)).toBe(3)
  })

  test('keeps the cached document while the directory is unreachable', async () => {
    const { did, keypair } = await world.plc.create({ handle: 'alice.test' })
    await world.resolver.resolve(did)
    world.plc.failWith(500)
    const stored = await world.resolver.resolve(did, { forceRefresh: true })
    expect(stored?.signingKey).toBe(keypair.did())
  })
})

describe('a document reported as changed', () => {
  test('is looked up before it is used again', async () => {
    const { did } = await world.plc.create({ handle: 'alice.test' })
    await world.resolver.resolve(did)
    const rotated = await world.plc.rotate(did)
    world.resolver.doubt(did)
    expect((await world.resolver.resolve(did))?.signingKey).toBe(rotated.did())
    await world.resolver.resolve(did)
    expect(world.plc.hits(did)).toBe(2)
  })

  test('stays valid for a few minutes if the directory is unreachable, and no longer', async () => {
    const { did, keypair } = await world.plc.create({ handle: 'alice.test' })
    await world.resolver.resolve(did)
    world.plc.failWith(500)
    world.resolver.doubt(did)
    expect((await world.resolver.resolve(did))?.signingKey).toBe(keypair.did())
    world.resolver.doubt(did)
    world.advance(301 * SECOND_MS)
    await expect(world.resolver.resolve(did)).rejects.toThrow(IdentityUnavailableError)
  })

  test('is looked up once more if a look-up began before the report', async () => {
    const { did } = await world.plc.create({ handle: 'alice.test' })
    world.plc.lag(20)
    const first = world.resolver.resolve(did)
    await until(() => world.plc.hits(did) === 1)
    const rotated = await world.plc.rotate(did)
    world.resolver.doubt(did)
    await first
    expect((await world.resolver.resolve(did))?.signingKey).toBe(rotated.did())
  })

  test('costs nothing if it is not cached', async () => {
    const { did } = await world.plc.create({ handle: 'alice.test' })
    for (let i = 0; i < 10; i++) world.resolver.doubt(did)
    expect(world.plc.hits(did)).toBe(0)
  })
})

describe('did:web', () => {
  test.each([
    ['did:web:example.org', 'https://example.org/.well-known/did.json'],
    ['did:web:example.org%3A8443', 'https://example.org:8443/.well-known/did.json'],
    ['did:web:localhost%3A3000', 'http://localhost:3000/.well-known/did.json'],
    ['did:web:localhost', 'http://localhost/.well-known/did.json'],
    ['did:plc:ar7c4by46qjdydhdevvrndac', 'https://plc.test/did:plc:ar7c4by46qjdydhdevvrndac'],
  ])('%s is at %s', (did, url) => expect(documentUrl(did, 'https://plc.test')).toBe(url))

  test.each([
    'did:web:example.org:user:alice',
    'did:web:example.org:3000',
    'did:web:example.org%2Fevil',
    'did:web:user%40example.org',
    'did:web:example.org%3Fq',
    'did:web:example.org%23x',
    'did:web:example.org%3A99999999',
    'did:web:',
    'did:web:%3A80',
    'did:plc:short',
    'did:plc:AR7C4BY46QJDYDHDEVVRNDAC',
    'did:plc:ar7c4by46qjdydhdevvrnda/',
    'did:plc:ar7c4by46qjdydhdevvrndac/../x',
    'did:key:zQ3shunBKsXixLxKtC5qeSG9E4J5RkGN57im31pcTzbNQnm5w',
    'did:example:x',
    'example.org',
    '',
  ])('%s has no document URL', (did) =>
    expect(documentUrl(did, 'https://plc.test')).toBeUndefined(),
  )

  async function startWebHost(answer: (did: string) => { status?: number; body?: unknown }) {
    let did = ''
    const server = createServer((request, response) => {
      const { status = 200, body } = answer(did)
      const known = request.url === '/.well-known/did.json'
      if (status === 302) response.setHeader('location', '/elsewhere')
      response.writeHead(known ? status : 200).end(JSON.stringify(body ?? { id: did }))
    })
    await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
    did = `did:web:localhost%3A${(server.address() as AddressInfo).port}`
    return { did, close: () => server.close() }
  }

  test('is resolved at its host', async () => {
    const host = await startWebHost((did) => ({
      body: didDocument({ did, handle: 'web.test', pds: 'https://pds.test', signingKey: '' }),
    }))
    expect((await world.resolver.resolve(host.did))?.handle).toBe('web.test')
    host.close()
  })

  test.each([
    ['a document about another DID', { body: { id: 'did:web:example.org' } }],
    ['a text that is not a JSON object', { body: 'hello' }],
    ['404', { status: 404 }],
    ['410', { status: 410 }],
  ])('does not exist for %s', async (_what, answer) => {
    const host = await startWebHost(() => answer)
    expect(await world.resolver.resolve(host.did)).toBeUndefined()
    host.close()
  })

  test.each([
    ['a redirect', { status: 302 }],
    ['a failure', { status: 500 }],
    ['an oversized document', { body: { id: 'x'.repeat(100_000) } }],
  ])('is unavailable for %s', async (_what, answer) => {
    const host = await startWebHost(() => answer)
    await expect(world.resolver.resolve(host.did)).rejects.toThrow(IdentityUnavailableError)
    host.close()
  })

  test('on localhost is refused unless private hosts are allowed', async () => {
    const host = await startWebHost((did) => ({ body: { id: did } }))
    const resolver = createResolver({
      fetch: createGuardedFetch({ allowPrivateHosts: false, trustedOrigins: [world.plc.url] }),
      plcUrl: world.plc.url,
    })
    await expect(resolver.resolve(host.did)).rejects.toThrow(IdentityUnavailableError)
    host.close()
  })
})

describe('handles', () => {
  const did = plcDid('alice')
  const mallory = plcDid('mallory')

  /**
   * Creates a resolver with hosts by URL (the text of a 200, a status, or a failure) and TXT
   * records by name.
   */
  function handleWorld(options: {
    hosts?: Record<string, string | number | FetchError>
    txt?: Record<string, string[][] | string>
    claimed?: string
    allowPrivateHosts?: boolean
    addressesOf?: LookupAddresses
  }): Resolver {
    const { hosts = {}, txt = {}, claimed = 'alice.example.com' } = options
    const { allowPrivateHosts, addressesOf = async () => ['198.41.0.4'] } = options
    const document = didDocument({ did, handle: claimed, pds: 'https://pds.test', signingKey: '' })
    const fetch: GuardedFetch = async (url) => {
      const answer = url === `https://plc.test/${did}` ? JSON.stringify(document) : hosts[url]
      if (answer === undefined) throw new FetchError('dns', `no ${url}`)
      if (answer instanceof FetchError) throw answer
      const isText = typeof answer === 'string'
      const body = Buffer.from(isText ? answer : '')
      return { status: isText ? 200 : answer, headers: new Headers(), body, url }
    }
    const resolveTxt: ResolveTxt = async (name) => {
      const records = txt[name] ?? 'ENOTFOUND'
      if (typeof records === 'string') throw Object.assign(new Error(records), { code: records })
      return records
    }
    const plcUrl = 'https://plc.test'
    return createResolver({ fetch, plcUrl, resolveTxt, addressesOf, allowPrivateHosts })
  }

  const record = '_atproto.alice.example.com'
  const wellKnown = 'https://alice.example.com/.well-known/atproto-did'
  const requestedPds =
    'https://pds.test/xrpc/com.atproto.identity.resolveHandle?handle=alice.example.com'

  test.each([
    ['a DID by a TXT record', { txt: { [record]: [[`did=${did}`]] } }, did],
    ['a DID by a TXT record in pieces', { txt: { [record]: [['did=', did]] } }, did],
    [
      'a DID by one among other TXT records',
      { txt: { [record]: [['v=spf1'], [`did=${did}`]] } },
      did,
    ],
    ['a DID by the well-known text', { hosts: { [wellKnown]: `${did}\n` } }, did],
    [
      'a DID by DNS before the well-known text',
      { txt: { [record]: [[`did=${did}`]] }, hosts: { [wellKnown]: mallory } },
      did,
    ],
    [
      'a DID by the well-known text where TXT records conflict',
      { txt: { [record]: [[`did=${did}`], [`did=${mallory}`]] }, hosts: { [wellKnown]: did } },
      did,
    ],
    [
      'nothing where TXT records conflict',
      { txt: { [record]: [[`did=${did}`], ['did=x']] } },
      undefined,
    ],
    [
      'nothing where the well-known text is HTML',
      { hosts: { [wellKnown]: '<html>did:plc:x' } },
      undefined,
    ],
    ['nothing where the host answers 404', { hosts: { [wellKnown]: 404 } }, undefined],
    ['nothing without any record', {}, undefined],
  ])('resolve to %s', async (_way, hosts, expected) => {
    expect(await handleWorld(hosts).resolveHandle('Alice.Example.Com')).toBe(expected)
  })

  test.each([
    ['DNS is down', { txt: { [record]: 'ECONNREFUSED' } }],
    ['DNS fails', { txt: { [record]: 'ESERVFAIL' }, hosts: { [wellKnown]: 404 } }],
    ['the host is down', { hosts: { [wellKnown]: 503 } }],
    ['the host is slow', { hosts: { [wellKnown]: new FetchError('timeout', 'slow') } }],
  ])('are not said to lead nowhere while %s', async (_why, world) => {
    const request = handleWorld(world).resolveHandle('alice.example.com')
    await expect(request).rejects.toThrow(IdentityUnavailableError)
  })

  const portal = new FetchError('private-address', 'alice.example.com stands on 192.168.0.1')

  test.each<[string, Parameters<typeof handleWorld>[0]]>([
    ['says that no name exists', { addressesOf: async () => [] }],
    [
      'does not answer for the names that it must know',
      { addressesOf: () => Promise.reject(new Error('silent')) },
    ],
    [
      'leads all names to a portal',
      {
        txt: { [record]: 'ENODATA' },
        hosts: { [wellKnown]: portal },
        addressesOf: async () => ['192.168.0.1'],
      },
    ],
  ])('are neither denied nor taken from their owner while DNS %s', async (_why, world) => {
    const resolver = handleWorld(world)
    const asked = resolver.resolveHandle('alice.example.com')
    await expect(asked).rejects.toThrow('DNS finds no name at all, not even plc.test')
    expect(await resolver.verifyHandle(did, 'alice.example.com')).toBeUndefined()
  })

  test('the directory’s name or a root name server’s suffices to believe DNS', async () => {
    const addressesOf: LookupAddresses = async (name) =>
      name === 'a.root-servers.net' ? ['198.41.0.4'] : []
    expect(await handleWorld({ addressesOf }).resolveHandle('alice.example.com')).toBeUndefined()
  })

  test('a flood of names that do not exist asks whether DNS works once', async () => {
    let count = 0
    const addressesOf: LookupAddresses = async () => {
      count += 1
      return ['198.41.0.4']
    }
    const resolver = handleWorld({ addressesOf })
    await Promise.all(
      Array.from({ length: 20 }, (_, i) => resolver.resolveHandle(`name${i}.example${i}.com`)),
    )
    expect(count).toBe(2)
  })

  test.each([
    ['alice.localhost'],
    ['alice.local'],
    ['alice.internal'],
    ['alice.invalid'],
    ['not a handle'],
    ['alice'],
    ['127.0.0.1'],
    ['alice.example.com/x'],
  ])('%s is not looked up at all', async (handle) => {
    const hosts = { [`https://${handle}/.well-known/atproto-did`]: did }
    const txt = { [`_atproto.${handle}`]: [[`did=${did}`]] }
    expect(await handleWorld({ hosts, txt }).resolveHandle(handle)).toBeUndefined()
  })

  test.each([
    ['true where handle and DID name each other', { hosts: { [wellKnown]: did } }, true],
    [
      'false where the DID claims another',
      { hosts: { [wellKnown]: did }, claimed: 'b.com' },
      false,
    ],
    ['false where the handle leads elsewhere', { hosts: { [wellKnown]: mallory } }, false],
    ['false where the handle leads nowhere', { hosts: { [wellKnown]: 404 } }, false],
    ['false where the name does not exist', {}, false],
    ['unknown where the host is down', { hosts: { [wellKnown]: 503 } }, undefined],
    ['unknown where the host limits our rate', { hosts: { [wellKnown]: 429 } }, undefined],
    ['unknown where DNS is down', { txt: { [record]: 'ESERVFAIL' } }, undefined],
    [
      'unknown where the host is slow',
      { hosts: { [wellKnown]: new FetchError('timeout', 'slow') } },
      undefined,
    ],
    [
      'false where only the PDS confirms it',
      { hosts: { [requestedPds]: `{"did":"${did}"}` } },
      false,
    ],
    [
      'true where only the PDS confirms it, on a private network',
      { hosts: { [requestedPds]: `{"did":"${did}"}` }, allowPrivateHosts: true },
      true,
    ],
    [
      'false where the PDS names another, on a private network',
      { hosts: { [requestedPds]: `{"did":"${mallory}"}` }, allowPrivateHosts: true },
      false,
    ],
    [
      'true by DNS where the PDS is unreachable, on a private network',
      { txt: { [record]: [[`did=${did}`]] }, allowPrivateHosts: true },
      true,
    ],
  ])('verification is %s', async (_rule, hosts, expected) => {
    expect(await handleWorld(hosts).verifyHandle(did, 'alice.example.com')).toBe(expected)
  })

  test.each([429, 503, new FetchError('timeout', 'slow')])(
    'verification is unknown if the PDS of a private network answers %s',
    async (away) => {
      const resolver = handleWorld({ hosts: { [requestedPds]: away }, allowPrivateHosts: true })
      expect(await resolver.verifyHandle(did, 'alice.example.com')).toBeUndefined()
    },
  )
})
