// The lists of accounts: follows, followers, known followers, mutes and blocks.

import { afterEach, describe, expect, test } from 'vitest'
import { createRandom } from '../../../../../support/random.ts'
import { didOf } from '../../../../../support/records.ts'
import { testSeed } from '../../../../../support/seed.ts'
import {
  allPages,
  createServingWorld,
  type Query,
  type ServingWorld,
} from '../../../../../support/serving-world.ts'

type Profile = { did: string }
type List = { cursor?: string; subject?: Profile } & Record<string, Profile[]>

const [alice, bob] = ['alice', 'bob'].map(didOf) as [string, string]
const people = Array.from({ length: 40 }, (_, i) => didOf(`person${i}`))

let world: ServingWorld | undefined
afterEach(() => world?.dispose())

function start(): ServingWorld {
  world = createServingWorld({ scope: 'network', members: ['alice'] })
  for (const did of [alice, bob, ...people]) world.profile(did, { displayName: did.slice(-4) })
  return world
}

const lists = [
  ['app.bsky.graph.getFollows', 'follows', (w: ServingWorld, did: string) => w.follow(bob, did)],
  [
    'app.bsky.graph.getFollowers',
    'followers',
    (w: ServingWorld, did: string) => w.follow(did, bob),
  ],
  ['app.bsky.graph.getBlocks', 'blocks', (w: ServingWorld, did: string) => w.block(bob, did)],
  ['app.bsky.graph.getMutes', 'mutes', mute],
  ['app.bsky.graph.getKnownFollowers', 'followers', know],
] as const

function mute(w: ServingWorld, did: string) {
  w.tick()
  return w.mute(bob, did)
}

/** Makes Bob follow the account, and the account follow Alice. */
function know(w: ServingWorld, did: string) {
  w.follow(bob, did)
  w.follow(did, alice)
}

function queryOf(nsid: string): Query {
  if (nsid.endsWith('KnownFollowers')) return { actor: alice }
  return /Mutes|Blocks/.test(nsid) ? {} : { actor: bob }
}

describe.each(lists)('%s', (nsid, field, add) => {
  const didsOf = (page: List) => page[field]!.map(({ did }) => did)
  const read = (w: ServingWorld, query: Query) =>
    w.get<List>(nsid, { ...queryOf(nsid), ...query }, bob)

  test('pages to the end, each account once, at any limit', async () => {
    const w = start()
    for (const did of people) add(w, did)
    const complete = didsOf(await read(w, { limit: 100 }))

    // Known followers have their own order; the other lists are newest first.
    if (nsid.endsWith('KnownFollowers')) expect([...complete].sort()).toEqual([...people].sort())
    else expect(complete).toEqual([...people].reverse())
    for (const limit of [1, 7, 39, 40]) {
      expect(await allPages((cursor) => read(w, { limit, cursor }), didsOf)).toEqual(complete)
    }
  })

  test('neither skips nor repeats while the list grows', async () => {
    const random = createRandom(testSeed(nsid))
    const w = start()
    const [early, late] = [people.slice(0, 25), people.slice(25)]
    for (const did of early) add(w, did)

    const seen = await allPages(async (cursor) => {
      const page = await read(w, { limit: 4, cursor })
      if (late.length > 0 && random.chance(0.7)) add(w, late.pop()!)
      return page
    }, didsOf)

    expect(new Set(seen).size).toBe(seen.length)
    expect(early.filter((did) => !seen.includes(did))).toEqual([])
  })

  test('leaves out inactive accounts, and fills the page', async () => {
    const w = start()
    for (const did of people) add(w, did)
    const gone = people.filter((_, i) => i % 4 === 0)
    for (const did of gone) w.status(did, 'deleted')

    const first = await read(w, { limit: 20 })
    const seen = await allPages((cursor) => read(w, { limit: 20, cursor }), didsOf)

    expect(didsOf(first)).toHaveLength(20)
    expect([...seen].sort()).toEqual(people.filter((did) => !gone.includes(did)).sort())
  })

  test('refuses a cursor that the server cannot have written', async () => {
    const w = start()
    add(w, people[0]!)
    const bad = [
      'rubbish',
      '1__',
      '1__did:plc:nobody',
      'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa',
      '1__x__y',
    ]
    for (const cursor of bad) {
      const { status, body } = await w.ask(nsid, { ...queryOf(nsid), cursor }, bob)
      expect([status, body['error']]).toEqual([400, 'InvalidRequest'])
    }
    expect(didsOf(await read(w, { cursor: '1::2' }))).toEqual([])
  })
})

describe('follows and followers', () => {
  test.each(['getFollows', 'getFollowers'])('%s: leaves out blocked accounts', async (name) => {
    const w = start()
    const [blocker, blocked, between, text] = people as [string, string, string, string]
    for (const did of [blocker, blocked, between, text]) {
      w.follow(bob, did)
      w.follow(did, bob)
    }
    w.block(blocker, alice)
    w.block(alice, blocked)
    w.block(between, bob)
    const page = await w.get<List>(`app.bsky.graph.${name}`, { actor: bob }, alice)
    const visitor = await w.get<List>(`app.bsky.graph.${name}`, { actor: bob })
    const dids = (list: List) => (list['follows'] ?? list['followers'])!.map(({ did }) => did)

    expect(dids(page)).toEqual([text])
    expect(dids(visitor)).toEqual([text, blocked, blocker])
    expect(page.subject?.did).toBe(bob)
  })

  test('several records for one pair are one entry, at the place of the first', async () => {
    const w = start()
    for (const did of [people[0]!, people[1]!, people[0]!]) w.follow(bob, did)
    const read = (cursor?: string) =>
      w.get<List>('app.bsky.graph.getFollows', { actor: bob, limit: 1, cursor })

    expect(await allPages(read, (page) => page['follows']!.map(({ did }) => did))).toEqual([
      people[1],
      people[0],
    ])
  })

  test('an unknown or inactive account gives the reference’s error message', async () => {
    const w = start()
    w.status(bob, 'suspended')
    for (const actor of [bob, didOf('nobody'), 'nobody.test']) {
      const { status, body } = await w.ask('app.bsky.graph.getFollowers', { actor })
      expect([status, body['message']]).toEqual([400, `Actor not found: ${actor}`])
    }
  })
})

describe('known followers', () => {
  test('require a viewer', async () => {
    const { status, body } = await start().ask('app.bsky.graph.getKnownFollowers', { actor: bob })
    expect([status, body['error']]).toEqual([401, 'AuthMissing'])
  })

  test('leave out accounts in a block with the viewer', async () => {
    const w = start()
    for (const did of people.slice(0, 3)) know(w, did)
    w.block(people[0]!, bob)

    const page = await w.get<List>('app.bsky.graph.getKnownFollowers', { actor: alice }, bob)

    expect(page['followers']!.map(({ did }) => did).sort()).toEqual(people.slice(1, 3).sort())
  })
})

describe('muting', () => {
  test('is sent to the writer and shows at once, until undone', async () => {
    const w = start()
    const mutes = async () =>
      (await w.get<List>('app.bsky.graph.getMutes', {}, alice))['mutes']!.map(({ did }) => did)

    const muted = await w.tell('app.bsky.graph.muteActor', { actor: bob }, alice)
    expect([muted.status, muted.body]).toEqual([200, undefined])
    expect(await mutes()).toEqual([bob])

    await w.tell('app.bsky.graph.unmuteActor', { actor: bob }, alice)
    expect(await mutes()).toEqual([])
  })

  test('requires a token and a known account other than the viewer’s', async () => {
    const w = start()
    const nsid = 'app.bsky.graph.muteActor'
    expect((await w.tell(nsid, { actor: bob })).status).toBe(401)
    expect((await w.tell(nsid, { actor: 'nobody.test' }, alice)).status).toBe(400)
    expect((await w.tell(nsid, { actor: alice }, alice)).status).toBe(400)
    expect((await w.tell(nsid, {}, alice)).status).toBe(400)
    expect(w.sent).toEqual([])
  })
})

test('an account that does not exist cannot be muted, so made-up DIDs do not fill the tables', async () => {
  const absent = 'did:plc:madeupmadeupmadeupmadeup'
  world = createServingWorld({ scope: 'network', members: ['alice'], absent: [absent] })
  const refused = await world.tell('app.bsky.graph.muteActor', { actor: absent }, alice)
  expect(refused.status).toBe(400)
  expect(world.memory.actors.uidOf(absent)).toBe(0)
})
