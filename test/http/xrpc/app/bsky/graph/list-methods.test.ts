// Lists of accounts: the list itself, its members, its owner, mutes and blocks by it, and its feed. Random
// worlds are compared with a linear scan of all records.

import { afterEach, describe, expect, test } from 'vitest'
import { createRandom, type Random } from '../../../../../support/random.ts'
import { didOf } from '../../../../../support/records.ts'
import { testSeed } from '../../../../../support/seed.ts'
import {
  allPages,
  createServingWorld,
  type ServingWorld,
} from '../../../../../support/serving-world.ts'
import type { RecordId } from '../../../../../support/world.ts'

type ListView = {
  uri: string
  listItemCount: number
  viewer?: { muted: boolean; blocked?: string }
}
type ItemView = { uri: string; subject: { did: string } }
type ListPage = { list: ListView; items: ItemView[]; cursor?: string }
type Lists = { lists: ListView[]; cursor?: string }
type Memberships = {
  listsWithMembership: { list: ListView; listItem?: ItemView }[]
  cursor?: string
}
type Feed = { feed: { post: { uri: string } }[]; cursor?: string; startCursor?: string }

const MODLIST = 'app.bsky.graph.defs#modlist'
const CURATELIST = 'app.bsky.graph.defs#curatelist'
const REFERENCELIST = 'app.bsky.graph.defs#referencelist'
const GRAPH = 'app.bsky.graph'

const [alice, bob] = ['alice', 'bob'].map(didOf) as [string, string]
const people = Array.from({ length: 14 }, (_, i) => didOf(`person${i}`))

let world: ServingWorld | undefined
afterEach(() => world?.dispose())

function start(options: Parameters<typeof createServingWorld>[0] = {}): ServingWorld {
  world = createServingWorld({ scope: 'network', members: ['alice'], ...options })
  for (const did of [alice, bob, ...people]) world.profile(did, { displayName: did.slice(-4) })
  return world
}

type Item = RecordId & { list: string; did: string; at: number }

/**
 * Puts accounts on the list, some twice, and takes some off again. Returns the remaining items,
 * latest first.
 */
function fill(w: ServingWorld, random: Random, list: RecordId): Item[] {
  let items: Item[] = []
  for (let i = 0; i < 40; i++) {
    const did = random.pick(people)
    const item = { ...w.listItem(bob, list, did), list: list.uri, did, at: w.now() }
    items.push(item)
    if (random.chance(0.3)) {
      const gone = random.pick(items)
      w.delete(gone)
      items = items.filter(({ uri }) => uri !== gone.uri)
    }
  }
  const firsts = items.filter(({ did }, i) => items.findIndex((item) => item.did === did) === i)
  return firsts.reverse()
}

describe('getList', () => {
  test.each([1, 3, 50])('pages of %i return every member once, latest first', async (limit) => {
    const w = start()
    const random = createRandom(testSeed('list pages'))
    const list = w.list(bob, 'a list', CURATELIST)
    const model = fill(w, random, list)
    const read = (cursor?: string) =>
      w.get<ListPage>(`${GRAPH}.getList`, { list: list.uri, limit, cursor }, alice)
    const items = await allPages(read, (page) => page.items)
    expect(items.map(({ uri, subject }) => [uri, subject.did])).toEqual(
      model.map(({ uri, did }) => [uri, did]),
    )
    expect((await read()).list.listItemCount).toBe(model.length)
  })

  test('leaves out hidden accounts and, unless it is for moderation, blocks with its creator', async () => {
    const w = start()
    const [friend, foe, gone] = people as [string, string, string]
    const dids = async (list: RecordId, viewer?: string) => {
      const { items } = await w.get<ListPage>(`${GRAPH}.getList`, { list: list.uri }, viewer)
      return items.map(({ subject }) => subject.did).sort()
    }
    const lists = [CURATELIST, MODLIST].map((purpose) => w.list(bob, 'a list', purpose))
    for (const list of lists) for (const did of [friend, foe, gone]) w.listItem(bob, list, did)
    w.block(foe, bob)
    w.status(gone, 'takendown')
    const [reading, moderation] = lists as [RecordId, RecordId]
    expect(await dids(reading, alice)).toEqual([friend])
    expect(await dids(reading)).toEqual([friend])
    expect(await dids(reading, bob)).toEqual([friend, foe].sort())
    expect(await dids(moderation, alice)).toEqual([friend, foe].sort())
  })

  test('requests a missing list, and answers List not found', async () => {
    const w = start()
    const list = `at://${bob}/app.bsky.graph.list/3kaaaaaaaaaaa`
    const { status, body } = await w.ask(`${GRAPH}.getList`, { list }, alice)
    expect([status, body['message']]).toEqual([400, 'List not found'])
    await expect
      .poll(() => w.sent)
      .toContainEqual({
        kind: 'fetch-requested',
        did: alice,
        uris: [list],
        dids: [],
      })
    const fallback = { list: `at://${bob}/app.bsky.feed.post/3kaaaaaaaaaaa` }
    expect((await w.ask(`${GRAPH}.getList`, fallback, alice)).status).toBe(400)
  })
})

describe('an account’s lists', () => {
  test('are ordered latest first, filtered by purpose, without those of starter packs', async () => {
    const w = start()
    const random = createRandom(testSeed('purposes'))
    const made = Array.from({ length: 25 }, (_, i) => {
      const purpose = random.pick([MODLIST, CURATELIST, REFERENCELIST])
      return { ...w.list(bob, `list ${i}`, purpose), purpose }
    }).reverse()
    w.delete(made[3]!)
    for (const purposes of [undefined, ['modlist'], ['curatelist'], [MODLIST, 'curatelist']]) {
      const read = (cursor?: string) =>
        w.get<Lists>(`${GRAPH}.getLists`, { actor: bob, limit: 4, cursor, purposes }, alice)
      const uris = (await allPages(read, (page) => page.lists)).map(({ uri }) => uri)
      const requested = (purposes ?? [MODLIST, CURATELIST]).map((purpose) =>
        purpose.split('#').at(-1),
      )
      const expected = made.filter(({ purpose, uri }) => {
        return uri !== made[3]!.uri && requested.includes(purpose.split('#').at(-1))
      })
      expect(uris).toEqual(expected.map(({ uri }) => uri))
    }
  })

  test('are not known of an unknown account, and an error for a handle that leads nowhere', async () => {
    const w = start()
    const actor = didOf('nobody')
    const unknown = await w.ask(`${GRAPH}.getLists`, { actor }, alice)
    expect(unknown).toMatchObject({ status: 503, body: { error: 'NotHereYet' } })
    const { status } = await w.ask(`${GRAPH}.getLists`, { actor: 'no.where.test' }, alice)
    expect(status).toBe(400)
  })

  test('tell whether an account is on them', async () => {
    const w = start()
    const [on, off] = [w.list(alice, 'on', CURATELIST), w.list(alice, 'off', MODLIST)]
    const item = w.listItem(alice, on, bob)
    w.listItem(alice, off, people[0]!)
    const nsid = `${GRAPH}.getListsWithMembership`
    const { listsWithMembership } = await w.get<Memberships>(nsid, { actor: bob }, alice)
    expect(listsWithMembership.map(({ list, listItem }) => [list.uri, listItem?.uri])).toEqual([
      [off.uri, undefined],
      [on.uri, item.uri],
    ])
    expect(listsWithMembership[1]!.listItem!.subject.did).toBe(bob)
  })
})

describe('mutes and blocks by list', () => {
  const profile = async (w: ServingWorld, did: string) =>
    (
      await w.get<{ viewer: { muted: boolean; mutedByList?: ListView; blocking?: string } }>(
        'app.bsky.actor.getProfile',
        { actor: did },
        alice,
      )
    ).viewer

  test('apply to every account on the list, for as long as it is on it', async () => {
    const w = start()
    const [list, first, second] = [w.list(bob, 'a list', MODLIST), people[0]!, people[1]!]
    const item = w.listItem(bob, list, first)
    w.follow(alice, first)
    w.post(first, 'hello')
    const timeline = async () =>
      (await w.get<Feed>('app.bsky.feed.getTimeline', {}, alice)).feed.length
    expect([(await profile(w, first)).muted, await timeline()]).toEqual([false, 1])
    for (let i = 0; i < 2; i++) {
      expect((await w.tell(`${GRAPH}.muteActorList`, { list: list.uri }, alice)).status).toBe(200)
    }
    expect(await profile(w, first)).toMatchObject({ muted: true, mutedByList: { uri: list.uri } })
    expect([(await profile(w, second)).muted, await timeline()]).toEqual([false, 0])
    w.listItem(bob, list, second)
    expect((await profile(w, second)).muted).toBe(true)
    w.delete(item)
    expect([(await profile(w, first)).muted, await timeline()]).toEqual([false, 1])
    await w.tell(`${GRAPH}.unmuteActorList`, { list: list.uri }, alice)
    expect((await profile(w, second)).muted).toBe(false)
    expect((await w.get<Lists>(`${GRAPH}.getListMutes`, {}, alice)).lists).toEqual([])
  })

  test('list those the viewer set, latest list first', async () => {
    const w = start()
    const lists = Array.from({ length: 9 }, (_, i) => w.list(bob, `list ${i}`, MODLIST)).reverse()
    for (const { uri } of lists.toReversed())
      await w.tell(`${GRAPH}.muteActorList`, { list: uri }, alice)
    for (const list of lists.slice(0, 4)) w.listBlock(alice, list)
    for (const [nsid, expected] of [
      [`${GRAPH}.getListMutes`, lists],
      [`${GRAPH}.getListBlocks`, lists.slice(0, 4)],
    ] as const) {
      const read = (cursor?: string) => w.get<Lists>(nsid, { limit: 2, cursor }, alice)
      const views = await allPages(read, (page) => page.lists)
      expect(views.map(({ uri }) => uri)).toEqual(expected.map(({ uri }) => uri))
      expect(views.every(({ viewer }) => viewer!.muted)).toBe(true)
      expect((await w.get<Lists>(nsid, {}, bob)).lists).toEqual([])
    }
  })

  test('require a list whose owner exists', async () => {
    const w = start({ absent: [didOf('nobody')] })
    const statusOf = async (list: string) =>
      (await w.tell(`${GRAPH}.muteActorList`, { list }, alice)).status
    expect(await statusOf(`at://${didOf('nobody')}/app.bsky.graph.list/3kaaaaaaaaaaa`)).toBe(400)
    expect(await statusOf(`at://${bob}/app.bsky.feed.post/3kaaaaaaaaaaa`)).toBe(400)
    expect(await statusOf(`at://${didOf('stranger')}/app.bsky.graph.list/3kaaaaaaaaaaa`)).toBe(200)
  })
})

describe('getListFeed', () => {
  test('pages through its members’ posts and replies, without reposts, blocked or muted posts', async () => {
    const w = start()
    const random = createRandom(testSeed('list feed'))
    const list = w.list(bob, 'a list', CURATELIST)
    const members = people.slice(0, 8)
    for (const did of members) w.listItem(bob, list, did)
    const posts: { uri: string; did: string; isQuote: boolean }[] = []
    for (let i = 0; i < 120; i++) {
      const did = random.pick(people)
      const before = posts.length > 0 ? random.pick(posts) : undefined
      const id = before && { uri: before.uri, cid: cidOf(w, before.uri) }
      const isQuote = random.chance(0.2) && id !== undefined
      const made = isQuote
        ? w.post(did, { quote: id })
        : w.post(did, random.chance(0.2) && id ? { reply: { parent: id } } : 'hello')
      posts.push({ uri: made.uri, did, isQuote })
      if (random.chance(0.2)) w.repost(did, made)
    }
    const [muted, blocked, quoting, reposting, foe] = members as [
      string,
      string,
      string,
      string,
      string,
    ]
    w.block(alice, blocked)
    w.block(bob, foe)
    await w.tell(`${GRAPH}.muteActor`, { actor: muted }, alice)
    await w.tell(`${GRAPH}.muteActor`, { actor: quoting, onlyQuoteposts: true }, alice)
    await w.tell(`${GRAPH}.muteActor`, { actor: reposting, onlyReposts: true }, alice)
    const parents = parentsOf(w)
    const authorOf = (uri: string | undefined) => uri?.split('/')[2]
    const isVisible = ({ uri, did, isQuote }: (typeof posts)[number]) => {
      const above = [parents.get(uri), parents.get(parents.get(uri) ?? '')].map(authorOf)
      if (!members.includes(did) || [muted, blocked, foe].includes(did)) return false
      return !above.includes(blocked) && !(isQuote && did === quoting)
    }
    for (const limit of [1, 7, 100]) {
      const read = (cursor?: string) =>
        w.get<Feed>('app.bsky.feed.getListFeed', { list: list.uri, limit, cursor }, alice)
      const uris = (await allPages(read, (page) => page.feed)).map(({ post }) => post.uri)
      expect(uris).toEqual(
        posts
          .filter(isVisible)
          .reverse()
          .map(({ uri }) => uri),
      )
    }
  })

  test('with `since`, returns what is newer than the newest post held, and `since` at the end', async () => {
    const w = start()
    const list = w.list(bob, 'a list', CURATELIST)
    w.listItem(bob, list, people[0]!)
    const write = (count: number) =>
      Array.from({ length: count }, () => w.post(people[0]!).uri).reverse()
    const read = (query: { since?: string; cursor?: string; limit?: number }) =>
      w.get<Feed>('app.bsky.feed.getListFeed', { list: list.uri, ...query }, alice)
    const keys = ({ feed }: Feed) => feed.map(({ post }) => post.uri)
    const old = write(4)
    const before = await read({})
    expect(keys(before)).toEqual(old)
    const since = before.startCursor
    expect(since).toMatch(/^\d+__baf/)
    const fresh = write(5)

    const first = await read({ since, limit: 3 })
    const second = await read({ since, limit: 3, cursor: first.cursor })
    expect([...keys(first), ...keys(second)]).toEqual(fresh)
    expect(first.cursor).not.toBe(since)
    expect(second.cursor).toBe(since)
    const { startCursor } = first
    expect(await read({ since: startCursor })).toEqual({ feed: [], cursor: startCursor })
    expect(keys(await read({ cursor: since }))).toEqual(old.slice(1))
    w.block(alice, people[0]!)
    expect(await read({ since, limit: 2 })).toMatchObject({ feed: [], cursor: since })
    const rubbish = { list: list.uri, since: 'rubbish' }
    expect((await w.ask('app.bsky.feed.getListFeed', rubbish, alice)).status).toBe(400)
  })

  test('ends early when its time is up, with a cursor that leads to all the rest', async () => {
    let clockMs = 0
    let tickMs = 0
    const w = start({ threadMs: () => (clockMs += tickMs) })
    const list = w.list(bob, 'a list', CURATELIST)
    const members = people.slice(0, 8)
    for (const did of members) w.listItem(bob, list, did)
    const visible: string[] = []
    for (let i = 0; i < 400; i++) {
      const isVisible = i % 40 === 0
      const did = isVisible ? members[0]! : members[1]!
      const { uri } = w.post(did, `post ${i}`)
      if (isVisible) visible.push(uri)
    }
    w.block(alice, members[1]!)
    // Each look at the clock finds the time of a turn gone.
    tickMs = 30
    const sizes: number[] = []
    const read = async (cursor: string | undefined) => {
      const query = { list: list.uri, limit: 10, cursor }
      const page = await w.get<Feed>('app.bsky.feed.getListFeed', query, alice)
      sizes.push(page.feed.length)
      return page
    }
    const uris = (await allPages(read, (page) => page.feed)).map(({ post }) => post.uri)
    expect(uris).toEqual(visible.reverse())
    expect(Math.max(...sizes)).toBe(1)
    tickMs = 0
    expect((await read(undefined)).feed.length).toBeGreaterThan(1)
  })

  test('is empty for an unknown list, and requests it', async () => {
    const w = start()
    const list = `at://${bob}/app.bsky.graph.list/3kaaaaaaaaaaa`
    expect(await w.get('app.bsky.feed.getListFeed', { list }, alice)).toEqual({ feed: [] })
    await expect.poll(() => w.sent.map(({ kind }) => kind)).toContain('fetch-requested')
    const rubbish = { list: w.list(bob, 'x').uri, cursor: 'rubbish' }
    expect((await w.ask('app.bsky.feed.getListFeed', rubbish, alice)).status).toBe(400)
  })
})

function parentsOf(w: ServingWorld): Map<string, string> {
  const parents = new Map<string, string>()
  for (const event of w.world.sent) {
    if (event.kind !== 'commit' || event.operation === 'delete') continue
    const reply = event.record['reply'] as { parent: { uri: string } } | undefined
    if (reply) parents.set(`at://${event.did}/${event.collection}/${event.rkey}`, reply.parent.uri)
  }
  return parents
}

function cidOf(w: ServingWorld, uri: string): string {
  for (const event of w.world.sent) {
    if (event.kind !== 'commit' || event.operation === 'delete') continue
    if (uri === `at://${event.did}/${event.collection}/${event.rkey}`) return event.cid
  }
  return ''
}
