// Every query about an account or a record, asked about one that exists and is not known here, while its servers
// can't tell: no answer denies it or shows it empty, whatever is wrong and whoever asks.

import { afterEach, describe, expect, test } from 'vitest'
import { loadLexicons } from '../../../../src/base/atproto/lexicons/lexicons.ts'
import { UnansweredError } from '../../../../src/sources/identity/fetch-identity.ts'
import type { Misbehaviour } from '../../../support/pds-misbehaviour.ts'
import { didOf } from '../../../support/records.ts'
import {
  createServingWorld,
  type Query,
  type ServingWorld,
} from '../../../support/serving-world.ts'
import {
  type StrangersWorld,
  startStrangersWorld,
  write,
} from '../../../support/strangers-world.ts'

const alice = didOf('alice')
const KEY = '3kabcdefghi2a'

let world: StrangersWorld | undefined
let still: ServingWorld | undefined
afterEach(async () => {
  await world?.stop()
  still?.dispose()
  world = undefined
  still = undefined
})

const about = (name: string, collection: string, rkey = KEY) => {
  return (account: string): Query => ({ [name]: `at://${account}/${collection}/${rkey}` })
}
const post = (name: string) => about(name, 'app.bsky.feed.post')
const feed = (name: string) => about(name, 'app.bsky.feed.generator', 'cats')
const list = about('list', 'app.bsky.graph.list')
const pack = (name: string) => about(name, 'app.bsky.graph.starterpack')
const actor = (account: string): Query => ({ actor: account })

/** Queries that say something about what they name. */
const METHODS: Record<string, (account: string) => Query> = {
  'app.bsky.actor.getProfile': actor,
  'app.bsky.actor.getProfiles': (account) => ({ actors: [account] }),
  'app.bsky.feed.getActorFeeds': actor,
  'app.bsky.feed.getAuthorFeed': actor,
  'app.bsky.feed.getFeed': feed('feed'),
  'app.bsky.feed.getFeedGenerator': feed('feed'),
  'app.bsky.feed.getFeedGenerators': feed('feeds'),
  'app.bsky.feed.getLikes': post('uri'),
  'app.bsky.feed.getListFeed': list,
  'app.bsky.feed.getPosts': post('uris'),
  'app.bsky.feed.getPostThread': post('uri'),
  'app.bsky.feed.getQuotes': post('uri'),
  'app.bsky.feed.getRepostedBy': post('uri'),
  'app.bsky.graph.getActorStarterPacks': actor,
  'app.bsky.graph.getFollowers': actor,
  'app.bsky.graph.getFollows': actor,
  'app.bsky.graph.getKnownFollowers': actor,
  'app.bsky.graph.getList': list,
  'app.bsky.graph.getLists': actor,
  'app.bsky.graph.getRelationships': (account) => ({ actor: account, others: [account] }),
  'app.bsky.graph.getStarterPack': pack('starterPack'),
  'app.bsky.graph.getStarterPacks': pack('uris'),
  'app.bsky.labeler.getServices': (account) => ({ dids: [account] }),
  'app.bsky.unspecced.getPostThreadOtherV2': post('anchor'),
  'app.bsky.unspecced.getPostThreadV2': post('anchor'),
  'com.atproto.repo.getRecord': (repo) => ({ repo, collection: 'app.bsky.feed.post', rkey: KEY }),
}

/**
 * Their answers are the viewer's own, our own decisions or statistics, what a search found, or a link's card, without
 * which a client shows the link.
 */
const OF_THE_INDEX = new Set([
  'app.bsky.embed.getEmbedExternalView',
  'app.bsky.feed.getActorLikes',
  'app.bsky.graph.getListsWithMembership',
  'app.bsky.graph.getStarterPacksWithMembership',
  'app.bsky.graph.getSuggestedFollowsByActor',
  'app.bsky.unspecced.getTrendingTopics',
  'com.atproto.admin.getAccountInfos',
  'com.atproto.admin.getSubjectStatus',
  'com.atproto.label.queryLabels',
  'com.atproto.identity.resolveHandle',
  'internal.bsky.actor.getProfiles',
  'io.slipstream.feed.getKnownLikers',
  'io.slipstream.feed.getPostReasons',
  'io.slipstream.graph.getSocialProof',
  'io.slipstream.video.getStats',
])

const FORMATS = new Set(['at-identifier', 'at-uri', 'did', 'handle'])
type Schema = { format?: string; items?: Schema }

function namesSomething(nsid: string): boolean {
  const { parameters } = loadLexicons().getDefOrThrow(nsid) as {
    parameters?: { properties?: Record<string, Schema> }
  }
  const schemas = Object.values(parameters?.properties ?? {})
  return schemas.some(({ format, items }) => FORMATS.has((items?.format ?? format)!))
}

test('every query that names an account or a record has a row, or a reason for none', () => {
  still = createServingWorld()
  const queries = still.methods.filter(({ kind, nsid }) => kind === 'query' && namesSomething(nsid))
  const others = queries.filter(({ nsid }) => !METHODS[nsid] && !OF_THE_INDEX.has(nsid))
  expect(others.filter(({ nsid }) => !/\.search[A-Z]/.test(nsid)).map(({ nsid }) => nsid)).toEqual(
    [],
  )
})

const PDS_FAULTS: [string, Misbehaviour][] = [
  ['answers 500', { status: 500 }],
  ['answers 403', { status: 403, headers: { 'content-type': 'text/html' } }],
  ['asks to come back later', { status: 429, headers: { 'retry-after': '60' } }],
  ['answers no JSON', 'garbage'],
  ['answers without an end', 'endless'],
  ['hangs up', 'hang-up'],
]

/** An account without a profile here is shown by its name, and known followers are of our own graph. */
const PRESENTED_WITHOUT_PDS = /getProfiles?$|getKnownFollowers$/

describe('while its PDS', () => {
  test.each(PDS_FAULTS)('%s', async (_, how) => {
    world = await startStrangersWorld()
    const { w, pds, person } = world
    pds.misbehave({ how })
    for (const [nsid, queryOf] of Object.entries(METHODS)) {
      if (PRESENTED_WITHOUT_PDS.test(nsid)) continue
      const eve = await person(`eve-${nsid.split('.').at(-1)!.toLowerCase()}`)
      const { status } = await w.ask(nsid, queryOf(eve.did), alice)
      expect([nsid, status]).toEqual([nsid, 503])
    }
  })
})

test.each([
  ['app.bsky.actor.getProfile', (actor: string) => ({ actor })],
  ['app.bsky.actor.getProfiles', (actor: string) => ({ actors: [actor] })],
] as const)(
  '%s shows an account whose PDS fails by its name, and goes on asking',
  async (nsid, queryOf) => {
    type Profile = { handle: string; displayName?: string }
    world = await startStrangersWorld()
    const { w, pds, person } = world
    const eve = await person('eve')
    pds.misbehave({ how: { status: 500 } })
    const { status, body } = await w.ask<Profile & { profiles?: Profile[] }>(
      nsid,
      queryOf(eve.did),
      alice,
    )
    const { handle, displayName } = body.profiles?.[0] ?? body
    expect([status, handle, displayName]).toEqual([200, 'eve.example.com', undefined])
    const waiting = w.db.prepare("SELECT subject FROM jobs WHERE kind = 'profile'").pluck().all()
    expect(waiting).toEqual([w.uid(eve.did)])
  },
)

describe('while the directory fails', () => {
  test.each(Object.entries(METHODS))('%s', async (nsid, queryOf) => {
    world = await startStrangersWorld()
    const { w, plc, person } = world
    const eve = await person('eve')
    plc.failWith(503)
    const failed = await w.ask(nsid, queryOf(eve.did), alice)
    expect([failed.status, failed.headers.has('retry-after')]).toEqual([
      503,
      failed.body['error'] !== 'UpstreamFailure',
    ])
  })

  test('and is asked again once it does not', async () => {
    world = await startStrangersWorld()
    const { w, plc, person } = world
    const eve = await person('eve')
    plc.failWith(503)
    const ask = () => w.ask('app.bsky.actor.getProfile', { actor: eve.did }, alice)
    expect((await ask()).status).toBe(503)
    plc.failWith(undefined)
    await expect.poll(async () => (await ask()).status).toBe(200)
  })
})

describe('for a visitor, for whom nothing is fetched', () => {
  test.each(Object.entries(METHODS))('%s', async (nsid, queryOf) => {
    world = await startStrangersWorld()
    const { w, person, pds } = world
    const eve = await person('eve')
    pds.misbehave({ how: 'hang-up' })
    const requested = await w.ask(nsid, queryOf(eve.did))
    const isForMembers = requested.status === 401
    expect(isForMembers || requested.status === 503, JSON.stringify(requested.body)).toBe(true)
  })
})

/** Those that the reference answers with an empty list, not with an error. */
const LISTS_OF_A_POST = [
  'app.bsky.feed.getLikes',
  'app.bsky.feed.getQuotes',
  'app.bsky.feed.getRepostedBy',
]
const LISTED_COLLECTIONS = ['app.bsky.feed.post', 'app.bsky.feed.like', 'app.bsky.feed.generator']

describe('an account that its directory does not know does not exist', () => {
  test.each(Object.entries(METHODS))('%s', async (nsid, queryOf) => {
    world = await startStrangersWorld()
    for (const viewer of [alice, undefined]) {
      const { status } = await world.w.ask(nsid, queryOf(didOf('nobody')), viewer)
      expect([200, 400, viewer ? 400 : 401]).toContain(status)
    }
  })

  test.each(LISTS_OF_A_POST)('%s is empty, whatever was named', async (nsid) => {
    world = await startStrangersWorld()
    for (const collection of LISTED_COLLECTIONS) {
      const query = about('uri', collection)(didOf('nobody'))
      const empty = { status: 200, body: { uri: query['uri'] } }
      expect(await world.w.ask(nsid, query)).toMatchObject(empty)
      expect(await world.w.ask(nsid, query, alice)).toMatchObject(empty)
    }
  })
})

describe('a record that its PDS does not have does not exist', () => {
  const ofRecords = Object.entries(METHODS).filter(
    ([nsid, queryOf]) => !nsid.endsWith('getListFeed') && /at:/.test(JSON.stringify(queryOf(''))),
  )

  test.each(ofRecords)('%s', async (nsid, queryOf) => {
    world = await startStrangersWorld()
    const { w, person } = world
    const query = queryOf((await person('eve')).did)
    expect([200, 400]).toContain((await w.ask(nsid, query, alice)).status)
  })

  test.each(LISTS_OF_A_POST)('%s is empty, for visitors too once that is known', async (nsid) => {
    world = await startStrangersWorld()
    const { w, person } = world
    const query = post('uri')((await person('eve')).did)
    expect(await w.ask(nsid, query)).toMatchObject({ status: 503 })
    expect(await w.ask(nsid, query, alice)).toMatchObject({ status: 200, body: query })
    expect(await w.ask(nsid, query)).toMatchObject({ status: 200, body: query })
  })
})

test('likes of a post that a PDS has just given are still not known', async () => {
  world = await startStrangersWorld()
  const { w, person } = world
  const { uri } = write(await person('eve'), 'app.bsky.feed.post', { text: 'hello' })
  for (const nsid of LISTS_OF_A_POST) {
    const requested = await w.ask(nsid, { uri }, alice)
    expect(requested).toMatchObject({ status: 503, body: { error: 'NotKnownHere' } })
  }
})

describe('by a handle whose servers do not answer', () => {
  const byHandle = Object.entries(METHODS).filter(([nsid]) => !nsid.endsWith('getServices'))
  const further: typeof byHandle = [
    ['com.atproto.identity.resolveHandle', (handle) => ({ handle })],
    ['io.slipstream.graph.getSocialProof', (subject) => ({ subjects: [subject] })],
    ['app.bsky.graph.getListsWithMembership', actor],
  ]
  test.each([...byHandle, ...further])('%s', async (nsid, queryOf) => {
    const resolver = {
      resolve: async () => undefined,
      resolveHandle: async () => {
        throw new UnansweredError('the network gives no answer')
      },
    }
    still = createServingWorld({ members: ['alice'], resolver })
    const requested = await still.ask(nsid, queryOf('eve.example.com'), alice)
    expect(requested).toMatchObject({ status: 503, body: { error: 'NotHereYet' } })
  })

  test('the accounts found beside it are shown', async () => {
    const handles: Record<string, string> = { 'alice.example.org': alice }
    const resolver = {
      resolve: async () => undefined,
      resolveHandle: async (handle: string) => {
        if (handles[handle]) return handles[handle]
        throw new UnansweredError('the network gives no answer')
      },
    }
    still = createServingWorld({ members: ['alice'], resolver })
    still.profile(alice, { displayName: 'alice' })
    const actors = ['eve.example.com', 'alice.example.org']
    const visible = await still.get('app.bsky.actor.getProfiles', { actors }, alice)
    expect(visible).toMatchObject({ profiles: [{ did: alice }] })
  })
})

test('an answer by keys names what may still arrive', async () => {
  world = await startStrangersWorld()
  const { w, pds, person } = world
  const eve = await person('eve')
  w.profile(alice, { displayName: 'alice' })
  const own = w.post(alice, 'hello')
  const [late, never] = [`at://${eve.did}/app.bsky.feed.post/${KEY}`, post('uri')(alice)['uri']]
  pds.misbehave({ how: { status: 500 } })
  const uris = [late, own.uri, String(never)]
  const { body } = await w.ask('app.bsky.feed.getPosts', { uris }, alice)
  expect(body).toMatchObject({ posts: [{ uri: own.uri }], notHereYet: [late] })
})
