// Tokens that members' servers issue for feed generators: whoever gets one from us can't read here as the
// member. Over the real methods and generators, with real tokens of a real account.

import { afterEach, beforeEach, expect, test } from 'vitest'
import { loadConfig } from '../../../src/base/config/config.ts'
import { createOnceBuffer } from '../../../src/data/shared-memory/once-table.ts'
import { createServer } from '../../../src/http/server/server.ts'
import { createFeedGeneratorDouble } from '../../support/feed-generator-double.ts'
import {
  type IdentityWorld,
  SERVICE_DID,
  startIdentityWorld,
} from '../../support/identity-world.ts'
import type { PlcAccount } from '../../support/plc-double.ts'
import { signServiceJwt } from '../../support/service-jwt.ts'
import { createServingWorld, type ServingWorld } from '../../support/serving-world.ts'

const FEED = 'app.bsky.feed.getFeed'
const SKELETON = 'app.bsky.feed.getFeedSkeleton'
const INTERACTIONS = 'app.bsky.feed.sendInteractions'
const PROFILE = 'app.bsky.actor.getProfile'

let identity: IdentityWorld
let alice: PlcAccount
let world: ServingWorld | undefined
beforeEach(async () => {
  identity = await startIdentityWorld()
  alice = await identity.plc.create({ handle: 'alice.test' })
})
afterEach(async () => {
  world?.dispose()
  await identity.close()
})

type Page = { feed: { post: { uri: string; viewer?: { bookmarked?: boolean } } }[] }

/** The member mutes Carol and bookmarked Bob’s post; the generator chooses posts of both. */
function start() {
  const double = createFeedGeneratorDouble()
  const services = { [double.did]: double.services }
  const w = createServingWorld({ scope: 'network', fetch: double.fetch, services })
  world = w
  const [bob, carol] = [w.account('bob'), w.account('carol')]
  w.profile(alice.did, { displayName: 'Alice' })
  w.member(alice.did)
  const [post, mutedPost] = [w.post(bob, 'one'), w.post(carol, 'two')]
  const { uri, cid } = post
  w.request({ id: 1, did: alice.did, kind: 'mute', subjectDid: carol })
  w.request({ id: 1, did: alice.did, kind: 'bookmark', uri, cid })
  const record = { did: double.did, displayName: 'Cats', createdAt: w.isoNow() }
  const feed = w.write({ did: bob, collection: 'app.bsky.feed.generator', record, rkey: 'cats' })
  double.says({ body: { feed: [{ post: uri }, { post: mutedPost.uri }] } })
  return { w, double, feed: feed.uri, carol }
}

/** A serving thread over the world; threads share their used tokens. */
function thread({ w }: ReturnType<typeof start>, usedTokens = createOnceBuffer()) {
  const server = createServer({
    config: { ...loadConfig({}, '/nowhere/.env'), memberRateLimit: 0, visitorRateLimit: 0 },
    methods: w.methods,
    serviceAuth: identity.serviceAuth,
    isMember: (did) => did === alice.did,
    usedTokens,
    health: () => ({ ok: true, version: '1' }),
    log: { debug() {}, error() {}, fatal() {} },
  })
  return async (nsid: string, token: string, how: { query?: object; input?: object } = {}) => {
    const search = new URLSearchParams(Object.entries(how.query ?? {}))
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const sent = how.input && { method: 'POST', body: JSON.stringify(how.input) }
    const request = new Request(`http://localhost/xrpc/${nsid}?${search}`, { headers, ...sent })
    const answer = await server.fetch(request)
    return { status: answer.status, body: (await answer.json()) as Page & { error?: string } }
  }
}

const tokenFor = (aud: string, lxm: string) =>
  signServiceJwt(alice.keypair, { iss: alice.did, aud, lxm })

/** What the page tells about the member’s private state. */
function notified({ feed }: Page) {
  return { posts: feed.length, bookmarked: feed[0]?.post.viewer?.bookmarked }
}

const AS_MEMBER = { posts: 1, bookmarked: true }
const AS_VISITOR = { posts: 2, bookmarked: undefined }

test('a generator that gets a token can’t read as its member, by any thread', async () => {
  const scene = start()
  const { double, feed } = scene
  const usedTokens = createOnceBuffer()
  const threads = [thread(scene, usedTokens), thread(scene, usedTokens)] as const
  const token = await tokenFor(double.did, SKELETON)
  expect(notified((await threads[0](FEED, token, { query: { feed } })).body)).toEqual(AS_MEMBER)
  const received = double.requested[0]!.headers['authorization']!.slice('Bearer '.length)
  expect(received).toBe(token)
  for (const ask of [...threads, ...threads]) {
    expect(notified((await ask(FEED, received, { query: { feed } })).body)).toEqual(AS_VISITOR)
  }
  // Nor is it handed to another generator, which a caller may choose.
  for (const { headers } of double.requested.slice(1))
    expect(headers['authorization']).toBe(undefined)
  const next = await tokenFor(double.did, SKELETON)
  expect(notified((await threads[1](FEED, next, { query: { feed } })).body)).toEqual(AS_MEMBER)
})

test('the other form of its signature is the same token', async () => {
  const scene = start()
  const { double, feed } = scene
  const ask = thread(scene)
  const token = await tokenFor(double.did, SKELETON)
  await ask(FEED, token, { query: { feed } })
  const again = await ask(FEED, otherSignature(token), { query: { feed } })
  expect([again.status, notified(again.body)]).toEqual([200, AS_VISITOR])
})

test('two uses at once are one member’s and one visitor’s', async () => {
  const scene = start()
  const { double, feed } = scene
  const ask = thread(scene)
  const token = await tokenFor(double.did, SKELETON)
  const pages = await Promise.all([1, 2].map(() => ask(FEED, token, { query: { feed } })))
  const posts = pages.map(({ body }) => body.feed.length)
  expect(posts.sort()).toEqual([AS_MEMBER.posts, AS_VISITOR.posts])
})

test('a method that requires an account refuses the second use', async () => {
  const scene = start()
  const { double, feed } = scene
  const ask = thread(scene)
  const token = await tokenFor(double.did, INTERACTIONS)
  const input = { feed, interactions: [{ item: feed }] }
  expect((await ask(INTERACTIONS, token, { input })).status).toBe(200)
  const { status, body } = await ask(INTERACTIONS, token, { input })
  expect([status, body.error]).toEqual([403, 'TokenUsedBefore'])
  expect(double.requested.length).toBe(1)
})

test('a token for us may be used again until it expires, and is given to no generator', async () => {
  const scene = start()
  const { double, feed, carol } = scene
  const ask = thread(scene)
  const profile = await tokenFor(SERVICE_DID, PROFILE)
  for (let i = 0; i < 3; i++) {
    const { body } = await ask(PROFILE, profile, { query: { actor: carol } })
    expect(body).toMatchObject({ viewer: { muted: true } })
  }
  for (const lxm of [FEED, SKELETON]) {
    const token = await tokenFor(SERVICE_DID, lxm)
    for (let i = 0; i < 2; i++) {
      expect(notified((await ask(FEED, token, { query: { feed } })).body)).toEqual(AS_MEMBER)
    }
  }
  const token = await tokenFor(SERVICE_DID, INTERACTIONS)
  const input = { feed, interactions: [{ item: feed }] }
  expect((await ask(INTERACTIONS, token, { input })).status).toBe(200)
  expect(double.requested.map(({ headers }) => headers['authorization'])).toEqual([
    ...Array(4).fill(undefined),
  ])
})

/** (r, n − s) signs what (r, s) signs, on secp256k1. */
function otherSignature(token: string): string {
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
  const [header, payload, signature] = token.split('.') as [string, string, string]
  const bytes = Buffer.from(signature, 'base64url')
  const s = BigInt(`0x${bytes.subarray(32).toString('hex')}`)
  const other = Buffer.from((order - s).toString(16).padStart(64, '0'), 'hex')
  const all = Buffer.concat([bytes.subarray(0, 32), other])
  return `${header}.${payload}.${all.toString('base64url')}`
}
