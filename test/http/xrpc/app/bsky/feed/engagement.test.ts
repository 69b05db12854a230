// Likers, reposters and quotes of a post, and an account's own likes: compared, page by page to the end, with
// a naive model of everything that happened.

import { afterEach, describe, expect, test } from 'vitest'
import { createRandom } from '../../../../../support/random.ts'
import { allPages, createServingWorld } from '../../../../../support/serving-world.ts'
import type { RecordId } from '../../../../../support/world.ts'

const SEED = Number(process.env['SEED'] ?? 6_400)
const LIKES = 'app.bsky.feed.getLikes'
const REPOSTS = 'app.bsky.feed.getRepostedBy'
const QUOTES = 'app.bsky.feed.getQuotes'
const OWN_LIKES = 'app.bsky.feed.getActorLikes'

type Actor = { did: string }
type Likes = { likes: { actor: Actor; createdAt: string; indexedAt: string }[]; cursor?: string }
type Reposts = { repostedBy: Actor[]; cursor?: string }
type Posts = { uri: string; cid?: string; posts: { uri: string }[]; cursor?: string }
type Feed = { feed: { post: { uri: string } }[]; cursor?: string }

let w: ReturnType<typeof createServingWorld>
afterEach(() => w.dispose())

const names = Array.from({ length: 12 }, (_, i) => `person-${i}`)

function start() {
  w = createServingWorld({ scope: 'network', members: ['viewer'] })
  const viewer = w.account('viewer')
  const author = w.account('author')
  const people = names.map((name) => w.account(name))
  for (const did of [viewer, author, ...people]) w.profile(did, { displayName: did.slice(-4) })
  return { viewer, author, people, post: w.post(author, 'the post') }
}

const likersOf = (query: object, viewer?: string) =>
  allPages(
    (cursor) => w.get<Likes>(LIKES, { ...query, cursor }, viewer),
    ({ likes }) => likes.map(({ actor }) => actor.did),
  )
const repostersOf = (query: object, viewer?: string) =>
  allPages(
    (cursor) => w.get<Reposts>(REPOSTS, { ...query, cursor }, viewer),
    ({ repostedBy }) => repostedBy.map(({ did }) => did),
  )
const quotesOf = (query: object, viewer?: string) =>
  allPages(
    (cursor) => w.get<Posts>(QUOTES, { ...query, cursor }, viewer),
    ({ posts }) => posts.map(({ uri }) => uri),
  )
const ownLikes = (query: object, viewer: string) =>
  allPages(
    (cursor) => w.get<Feed>(OWN_LIKES, { actor: viewer, ...query, cursor }, viewer),
    ({ feed }) => feed.map(({ post }) => post.uri),
  )

test(`random likes, reposts and quotes are listed, latest first (seed ${SEED})`, async () => {
  const { viewer, author, people, post } = start()
  const random = createRandom(SEED)
  const other = w.post(author, 'another')
  const done: { kind: string; did: string; made: RecordId; to: RecordId }[] = []
  for (let i = 0; i < 220; i++) {
    const did = random.pick([viewer, ...people])
    const to = random.pick([post, post, other])
    const kind = random.pick(['like', 'repost', 'quote'])
    if (random.chance(0.2) && done.length > 0) {
      const [gone] = done.splice(random.below(done.length), 1)
      w.delete(gone!.made)
    } else if (kind === 'quote') done.push({ kind, did, to, made: w.post(did, { quote: to }) })
    else if (!done.some((item) => item.kind === kind && item.did === did && item.to === to)) {
      const made = kind === 'like' ? w.like(did, to) : w.repost(did, to)
      done.push({ kind, did, to, made })
    }
  }
  const latest = (kind: string, to: RecordId) =>
    done.filter((item) => item.kind === kind && item.to === to).reverse()
  for (const to of [post, other]) {
    for (const limit of [1, 3, 100]) {
      const query = { uri: to.uri, limit }
      expect(await likersOf(query)).toEqual(latest('like', to).map(({ did }) => did))
      expect(await repostersOf(query)).toEqual(latest('repost', to).map(({ did }) => did))
      expect(await quotesOf(query)).toEqual(latest('quote', to).map(({ made }) => made.uri))
    }
  }
  const own = done.filter(({ kind, did }) => kind === 'like' && did === viewer).reverse()
  expect(await ownLikes({ limit: 1 }, viewer)).toEqual(own.map(({ to }) => to.uri))
})

describe('leaves out', () => {
  test('accounts in a block with the viewer', async () => {
    const { viewer, people, post } = start()
    const [blocking, blocked, listed, nobody] = people as [string, string, string, string]
    for (const did of [blocking, blocked, listed, nobody]) {
      w.like(did, post)
      w.repost(did, post)
      w.post(did, { quote: post })
    }
    w.block(blocking, viewer)
    w.block(viewer, blocked)
    const list = w.list(viewer, 'away')
    w.listItem(viewer, list, listed)
    w.listBlock(viewer, list)
    const query = { uri: post.uri }
    expect(await likersOf(query, viewer)).toEqual([nobody])
    expect(await repostersOf(query, viewer)).toEqual([nobody])
    expect((await quotesOf(query, viewer)).map((uri) => uri.split('/')[2])).toEqual([nobody])
    expect(await likersOf(query)).toHaveLength(4)
  })

  test('likes and quotes, but not reposts, by accounts in a block with the author', async () => {
    const { author, people, post } = start()
    const [foe] = people as [string]
    w.like(foe, post)
    w.repost(foe, post)
    w.post(foe, { quote: post })
    w.block(author, foe)
    const query = { uri: post.uri }
    expect(await likersOf(query)).toEqual([])
    expect(await quotesOf(query)).toEqual([])
    expect(await repostersOf(query)).toEqual([foe])
  })

  test('inactive accounts, until they come back', async () => {
    const { people, post } = start()
    const [gone, here] = people as [string, string]
    w.like(gone, post)
    w.like(here, post)
    w.status(gone, 'deactivated')
    expect(await likersOf({ uri: post.uri })).toEqual([here])
    w.status(gone)
    expect(await likersOf({ uri: post.uri })).toEqual([here, gone])
  })

  test('repeated likes and reposts of one account, across page boundaries', async () => {
    const { people, post } = start()
    const [twice, once] = people as [string, string]
    w.like(twice, post)
    w.like(once, post)
    w.like(twice, post)
    for (const did of [twice, once, twice]) w.repost(did, post)
    for (const limit of [1, 2, 50]) {
      expect(await likersOf({ uri: post.uri, limit })).toEqual([once, twice])
      expect(await repostersOf({ uri: post.uri, limit })).toEqual([once, twice])
    }
  })

  test('quotes of a deleted post', async () => {
    const { people, post } = start()
    w.post(people[0]!, { quote: post })
    w.like(people[1]!, post)
    w.delete(post)
    expect(await quotesOf({ uri: post.uri })).toEqual([])
    expect(await likersOf({ uri: post.uri })).toEqual([people[1]])
  })

  test('liked posts that are gone or by accounts in a block with the viewer', async () => {
    const { viewer, author, people, post } = start()
    const [foe] = people as [string]
    const theirs = w.post(foe, 'of a foe')
    const deleted = w.post(author, 'soon gone')
    for (const record of [post, theirs, deleted]) w.like(viewer, record)
    w.block(foe, viewer)
    w.delete(deleted)
    expect(await ownLikes({}, viewer)).toEqual([post.uri])
  })
})

describe('the answer', () => {
  test('tells when each like was created and indexed, and names its subject', async () => {
    const { people, post } = start()
    const createdAt = '2026-10-01T08:00:00.000Z'
    const record = { subject: post, createdAt }
    w.write({ did: people[0]!, collection: 'app.bsky.feed.like', record })
    const body = await w.get<Likes & { uri: string; cid?: string }>(LIKES, {
      uri: post.uri,
      cid: post.cid,
    })
    expect(body).toMatchObject({
      uri: post.uri,
      cid: post.cid,
      likes: [{ actor: { did: people[0] }, createdAt, indexedAt: createdAt }],
    })
  })

  test('is empty for an unknown post or a retired cursor; other cursors are refused', async () => {
    const { post, author, viewer } = start()
    const unknown = `at://${author}/app.bsky.feed.post/3kunknown2222`
    for (const nsid of [LIKES, REPOSTS, QUOTES]) {
      expect((await w.ask<Likes>(nsid, { uri: unknown })).status).toBe(200)
      const retired = await w.ask<Likes>(nsid, { uri: post.uri, cursor: '1::x' })
      expect([retired.status, retired.body.cursor]).toEqual([200, undefined])
      for (const cursor of ['rubbish', '1__rubbish', 'did:plc:old', '1__', '__1', '1__-1']) {
        expect((await w.ask(nsid, { uri: post.uri, cursor })).status, `${nsid} ${cursor}`).toBe(400)
      }
    }
    expect((await w.ask(OWN_LIKES, { actor: viewer, cursor: 'rubbish' }, viewer)).status).toBe(400)
  })

  test('accepts a post URI with its author’s handle', async () => {
    const { author, people, post } = start()
    w.handle(author, 'author.test')
    w.like(people[0]!, post)
    expect(await likersOf({ uri: post.uri.replace(author, 'author.test') })).toEqual([people[0]])
  })

  test('requests a post that is not here', async () => {
    const { viewer, author } = start()
    const uri = `at://${author}/app.bsky.feed.post/3kunknown2222`
    await w.get(LIKES, { uri }, viewer)
    expect(w.sent).toContainEqual({ kind: 'fetch-requested', did: viewer, uris: [uri], dids: [] })
  })

  test('with an account’s likes is for its owner only, and carries the repository rev', async () => {
    const { viewer, people, post } = start()
    w.like(viewer, post)
    for (const who of [undefined, people[0]]) {
      const { status, body } = await w.ask(OWN_LIKES, { actor: viewer }, who)
      expect([status, body['message']]).toEqual([400, 'Profile not found'])
    }
    const { headers } = await w.ask(OWN_LIKES, { actor: viewer }, viewer)
    expect(headers.get('atproto-repo-rev')).toMatch(/^[2-7a-z]{13}$/)
  })
})

test('feeds, starter packs and labelers list likers as posts do: once each, latest first', async () => {
  const { viewer, author, people } = start()
  const generator = { did: 'did:web:feed.test', displayName: 'feed' }
  const kinds: [string, object, string][] = [
    ['app.bsky.feed.generator', generator, 'feed'],
    [
      'app.bsky.graph.starterpack',
      { name: 'pack', list: `at://${author}/app.bsky.graph.list/a` },
      'a',
    ],
    ['app.bsky.labeler.service', { policies: { labelValues: ['x'] } }, 'self'],
  ]
  for (const [collection, fields, rkey] of kinds) {
    const to = w.create(author, collection, { $type: collection, ...fields }, rkey)
    const likes = people.slice(0, 7).map((did) => w.like(did, to))
    w.like(people[1]!, to)
    w.delete(likes[2]!)
    w.block(viewer, people[3]!)
    const all = [1, 6, 5, 4, 3, 0].map((i) => people[i]!)
    for (const limit of [1, 2, 100]) {
      expect(await likersOf({ uri: to.uri, limit })).toEqual(all)
      const unblocked = all.filter((did) => did !== people[3])
      expect(await likersOf({ uri: to.uri, limit }, viewer)).toEqual(unblocked)
    }
  }
  expect(await likersOf({ uri: `at://${author}/app.bsky.feed.generator/other` })).toEqual([])
})
