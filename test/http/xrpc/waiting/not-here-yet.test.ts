// What is not here yet never reads as nonexistent: with no public AppView, or with one that fails in any way, a
// member who opens what a stranger made sees it at first look, or is told to ask again.

import { afterEach, describe, expect, test } from 'vitest'
import { type AppviewDouble, startAppviewDouble } from '../../../support/appview-double.ts'
import type { PdsAccount } from '../../../support/pds-double.ts'
import { didOf } from '../../../support/records.ts'
import {
  type StrangersWorld,
  startStrangersWorld,
  write,
} from '../../../support/strangers-world.ts'

const POST = 'app.bsky.feed.post'
const LIST = 'app.bsky.graph.list'
const CURATED = 'app.bsky.graph.defs#curatelist'
const alice = didOf('alice')

let world: StrangersWorld | undefined
let double: AppviewDouble | undefined
afterEach(async () => {
  await world?.stop()
  await double?.close()
  world = undefined
  double = undefined
})

type Failure = 'none' | Parameters<AppviewDouble['misbehave']>[0] | 'late' | 'away'
const banned = { status: 400 }

/** How a configured AppView answers; `none`: there is none. */
const FAILURES: [string, Failure][] = [
  ['is not configured', 'none'],
  ['answers 403', { status: 403, headers: { 'content-type': 'text/html' } }],
  ['answers 503', { status: 503 }],
  ['refuses the account', banned],
  ['refuses connections', 'away'],
  ['hangs up', 'hang-up'],
  ['is late', 'late'],
]

async function start(failure: Failure = 'none') {
  double = await startAppviewDouble()
  if (failure === 'late') double.misbehave('hang')
  else if (failure === 'away') await double.close()
  else if (failure !== 'none') double.misbehave(failure)
  const fallback = failure === 'none' ? undefined : double.fallback({ maxWaitMs: 300 })
  world = await startStrangersWorld({ fallback })
  return world
}

/** All that a stranger can make, each of one kind. */
function makeAll(eve: PdsAccount) {
  const post = write(eve, POST, { text: 'hello' })
  const list = write(eve, LIST, { name: 'people', purpose: CURATED })
  write(eve, 'app.bsky.graph.listitem', { list: list.uri, subject: eve.did })
  const feed = write(eve, 'app.bsky.feed.generator', {
    did: 'did:web:feeds.test',
    displayName: 'Cats',
  })
  const pack = write(eve, 'app.bsky.graph.starterpack', { name: 'pack', list: list.uri })
  const labeler = write(
    eve,
    'app.bsky.labeler.service',
    { policies: { labelValues: ['spam'] } },
    'self',
  )
  return { post, list, feed, pack, labeler }
}

describe.each(FAILURES)('with an AppView that %s', (_, failure) => {
  const read = async (nsid: string, queryOf: (eve: PdsAccount) => Record<string, string>) => {
    const { w, person } = await start(failure)
    const eve = await person('eve')
    return w.ask(nsid, queryOf(eve), alice)
  }

  test('a stranger’s page shows the posts', async () => {
    const post: { uri?: string } = {}
    const feed = await read('app.bsky.feed.getAuthorFeed', (eve) => {
      Object.assign(post, makeAll(eve).post)
      return { actor: eve.did }
    })
    expect(feed).toMatchObject({ status: 200, body: { feed: [{ post: { uri: post.uri } }] } })
  })

  test('a stranger’s list shows its members', async () => {
    const list = await read('app.bsky.graph.getList', (eve) => ({ list: makeAll(eve).list.uri }))
    expect(list).toMatchObject({ status: 200, body: { items: [{ subject: {} }] } })
  })

  test('a stranger’s starter pack is whole', async () => {
    const pack = await read('app.bsky.graph.getStarterPack', (eve) => ({
      starterPack: makeAll(eve).pack.uri,
    }))
    expect(pack).toMatchObject({
      status: 200,
      body: { starterPack: { list: { listItemCount: 1 }, listItemsSample: [{}] } },
    })
  })

  test.each([
    ['app.bsky.feed.getFeedGenerators', 'feeds', 'feed', 'feeds'],
    ['app.bsky.graph.getStarterPacks', 'uris', 'pack', 'starterPacks'],
    ['app.bsky.feed.getPosts', 'uris', 'post', 'posts'],
  ] as const)('%s has what it names', async (nsid, param, kind, field) => {
    const found = await read(nsid, (eve) => ({ [param]: makeAll(eve)[kind].uri }))
    expect(found).toMatchObject({ status: 200, body: { [field]: [{}] } })
  })

  test.each([
    ['app.bsky.feed.getActorFeeds', 'feeds'],
    ['app.bsky.graph.getActorStarterPacks', 'starterPacks'],
  ])('%s has what the stranger made', async (nsid, field) => {
    const found = await read(nsid, (eve) => {
      makeAll(eve)
      return { actor: eve.did }
    })
    expect(found).toMatchObject({ status: 200, body: { [field]: [{}] } })
  })

  test('getFollowers of a stranger, which no PDS knows, is not known', async () => {
    const refused = await read('app.bsky.graph.getFollowers', (eve) => ({ actor: eve.did }))
    expect(refused).toMatchObject({ status: 503, body: { error: 'NotKnownHere' } })
  })

  test('getLists of a stranger has them', async () => {
    const shown = await read('app.bsky.graph.getLists', (eve) => {
      makeAll(eve)
      return { actor: eve.did }
    })
    expect(shown).toMatchObject({ status: 200, body: { lists: [{ name: 'people' }] } })
  })

  test('getFollows of a stranger has them, page by page', async () => {
    const { w, person } = await start(failure)
    const eve = await person('eve')
    const followed: string[] = []
    for (const name of ['zoe', 'moe', 'joe']) {
      const { did } = await person(name)
      followed.unshift(did)
      write(eve, 'app.bsky.graph.follow', { subject: did })
    }
    type Page = { subject: { did: string }; follows: { did: string }[]; cursor?: string }
    const ask = (cursor?: string) =>
      w.get<Page>('app.bsky.graph.getFollows', { actor: eve.did, limit: 2, cursor }, alice)
    const first = await ask()
    expect(first.subject.did).toBe(eve.did)
    const second = await ask(first.cursor)
    const shown = [...first.follows, ...second.follows].map(({ did }) => did)
    expect(shown).toEqual(followed)
    const last = second.cursor === undefined ? undefined : await ask(second.cursor)
    expect(last?.follows ?? []).toEqual([])
    expect(last?.cursor).toBeUndefined()
  })

  test('getFollows and getLists of a stranger without any are empty', async () => {
    const { w, person } = await start(failure)
    const { did: actor } = await person('eve')
    const follows = await w.ask('app.bsky.graph.getFollows', { actor }, alice)
    expect(follows).toMatchObject({ status: 200, body: { follows: [] } })
    const lists = await w.ask('app.bsky.graph.getLists', { actor }, alice)
    expect(lists).toMatchObject({ status: 200, body: { lists: [] } })
  })
})

describe('at the first look', () => {
  test('what strangers made is shown where a followed account shares it', async () => {
    const { w, person } = await start()
    const [eve, bob] = [await person('eve'), didOf('bob')]
    w.follow(alice, bob)
    w.profile(bob, { displayName: 'bob' })
    w.handle(bob, 'bob.example.org')
    const made = makeAll(eve)
    for (const record of Object.values(made)) {
      w.post(bob, { text: 'look', embed: { $type: 'app.bsky.embed.record', record } })
    }
    w.db.prepare("DELETE FROM jobs WHERE kind = 'feed'").run()
    type Shown = { feed: { post: { embed: { record: { $type: string } } } }[] }
    const { feed } = await w.get<Shown>('app.bsky.feed.getTimeline', {}, alice)
    expect(feed.map(({ post }) => post.embed.record.$type.split('#')[1])).toEqual([
      'labelerView',
      'starterPackViewBasic',
      'generatorView',
      'listView',
      'viewRecord',
    ])
  })

  test('a post that nobody has is not found once, and not waited for again', async () => {
    const { w, pds, person } = await start()
    const eve = await person('eve')
    const uri = `at://${eve.did}/${POST}/3kabcdefghi2a`
    const ask = () => w.ask('app.bsky.feed.getPostThread', { uri }, alice)
    expect(await ask()).toMatchObject({ status: 400, body: { error: 'NotFound' } })
    let calls = 0
    pds.onRequest(() => void calls++)
    for (let i = 0; i < 3; i++) expect((await ask()).status).toBe(400)
    expect(calls).toBe(0)
  })

  test('a post whose PDS fails is to be asked for again', async () => {
    const { w, pds, person } = await start()
    const eve = await person('eve')
    const { post } = makeAll(eve)
    pds.misbehave({ method: 'getRecord', how: { status: 500 } })
    const asked = await w.ask('app.bsky.feed.getPostThread', { uri: post.uri }, alice)
    expect(asked).toMatchObject({ status: 503, body: { error: 'NotHereYet' } })
  })
})
