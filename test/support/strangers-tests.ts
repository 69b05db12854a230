// What a member sees at the first look at a stranger: what the stranger's PDS has, whether nobody else is asked, or
// a public AppView that fails in any way.

import { expect, test } from 'vitest'
import type { PdsAccount } from './pds-double.ts'
import { didOf } from './records.ts'
import { type StrangersWorld, write } from './strangers-world.ts'

const POST = 'app.bsky.feed.post'
const LIST = 'app.bsky.graph.list'
const CURATED = 'app.bsky.graph.defs#curatelist'
const alice = didOf('alice')

/** All that a stranger can make, each of one kind. */
export function makeAll(eve: PdsAccount) {
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

/** @param start - begins a world that the caller stops */
export function testFirstLook(start: () => Promise<StrangersWorld>): void {
  const read = async (nsid: string, queryOf: (eve: PdsAccount) => Record<string, string>) => {
    const { w, person } = await start()
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
    const visible = await read('app.bsky.graph.getLists', (eve) => {
      makeAll(eve)
      return { actor: eve.did }
    })
    expect(visible).toMatchObject({ status: 200, body: { lists: [{ name: 'people' }] } })
  })

  test('getFollows of a stranger has them, page by page', async () => {
    const { w, person } = await start()
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
    const visible = [...first.follows, ...second.follows].map(({ did }) => did)
    expect(visible).toEqual(followed)
    const last = second.cursor === undefined ? undefined : await ask(second.cursor)
    expect(last?.follows ?? []).toEqual([])
    expect(last?.cursor).toBeUndefined()
  })

  test('getFollows and getLists of a stranger without any are empty', async () => {
    const { w, person } = await start()
    const { did: actor } = await person('eve')
    const follows = await w.ask('app.bsky.graph.getFollows', { actor }, alice)
    expect(follows).toMatchObject({ status: 200, body: { follows: [] } })
    const lists = await w.ask('app.bsky.graph.getLists', { actor }, alice)
    expect(lists).toMatchObject({ status: 200, body: { lists: [] } })
  })
}
