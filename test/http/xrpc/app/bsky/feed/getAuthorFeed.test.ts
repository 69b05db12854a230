import { afterEach, describe, expect, test } from 'vitest'
import { type ModelItem, newestFirst } from '../../../../../support/feed-model.ts'
import { createRandom } from '../../../../../support/random.ts'
import { blobOf, didOf } from '../../../../../support/records.ts'
import { testSeed } from '../../../../../support/seed.ts'
import {
  allPages,
  createServingWorld,
  type ServingOptions,
  type ServingWorld,
} from '../../../../../support/serving-world.ts'

const NSID = 'app.bsky.feed.getAuthorFeed'

type View = { post: { uri: string }; reason?: { $type: string; uri?: string } }
type Feed = { feed: View[]; cursor?: string }

const [alice, bob, carol] = ['alice', 'bob', 'carol'].map(didOf) as [string, string, string]
const keys = ({ feed }: Feed) => feed.map((view) => view.reason?.uri ?? view.post.uri)

let world: ServingWorld | undefined
afterEach(() => world?.dispose())

function start(options: ServingOptions = {}): ServingWorld {
  world = createServingWorld({ scope: 'network', members: ['alice'], ...options })
  return world
}

const images = {
  $type: 'app.bsky.embed.images',
  images: [{ image: blobOf('a picture'), alt: 'a picture' }],
}
const video = { $type: 'app.bsky.embed.video', video: blobOf('a video', 'video/mp4') }

describe('filters', () => {
  function somePosts(w: ServingWorld) {
    const plain = w.post(bob).uri
    const thread = w.post(bob, { reply: { parent: toRef(w, plain) } }).uri
    const toOther = w.post(bob, { reply: { parent: w.post(carol) } }).uri
    const picture = w.post(bob, { embed: images }).uri
    const film = w.post(bob, { embed: video }).uri
    const repost = w.repost(bob, w.post(carol)).uri
    return { plain, thread, toOther, picture, film, repost }
  }

  test.each([
    ['posts_with_replies', ['repost', 'film', 'picture', 'toOther', 'thread', 'plain']],
    [undefined, ['repost', 'film', 'picture', 'toOther', 'thread', 'plain']],
    ['a-filter-of-tomorrow', ['repost', 'film', 'picture', 'toOther', 'thread', 'plain']],
    ['posts_no_replies', ['repost', 'film', 'picture', 'plain']],
    ['posts_and_author_threads', ['repost', 'film', 'picture', 'thread', 'plain']],
    ['posts_with_media', ['picture']],
    ['posts_with_video', ['film']],
  ] as const)('%s', async (filter, names) => {
    const w = start()
    const made = somePosts(w)
    const expected = names.map((name) => made[name])
    const read = (cursor: string | undefined, limit: number) =>
      w.get<Feed>(NSID, { actor: bob, filter, cursor, limit })

    expect(keys(await read(undefined, 50))).toEqual(expected)
    if (filter === 'posts_and_author_threads') return // a thread split by a page boundary is left out
    expect(await allPages((cursor) => read(cursor, 1), keys)).toEqual(expected)
  })

  test('a reply to what is no post is a reply', async () => {
    const w = start()
    const named = { purpose: 'app.bsky.graph.defs#curatelist', name: 'a list' }
    const listOf = (did: string) => {
      const createdAt = new Date(w.now()).toISOString()
      return w.create(did, 'app.bsky.graph.list', { ...named, createdAt })
    }
    const [own, other] = [listOf(bob), listOf(carol)]
    const plain = w.post(bob).uri
    const answer = (to: { uri: string; cid: string }) => {
      const createdAt = new Date(w.now()).toISOString()
      const ref = { uri: to.uri, cid: to.cid }
      const reply = { root: ref, parent: ref }
      return w.create(bob, 'app.bsky.feed.post', { text: 'so', reply, createdAt }).uri
    }
    const [toOwn, toOther] = [answer(own), answer(other)]
    // Only the DID names a post for good.
    const byHandle = answer({ ...other, uri: `at://carol.test/app.bsky.feed.post/3jzfcijpj2z2a` })
    const read = async (filter: string) =>
      keys(await w.get<Feed>(NSID, { actor: bob, filter, limit: 50 }))
    expect(await read('posts_with_replies')).toEqual([byHandle, toOther, toOwn, plain])
    expect(await read('posts_no_replies')).toEqual([plain])
    expect(await read('posts_and_author_threads')).toEqual([plain])
  })

  test('gives a cursor even if a whole window passes no filter', async () => {
    const w = start()
    const film = w.post(bob, { embed: video }).uri
    w.world.db.transaction(() => {
      const uid = w.uid(bob)
      const insert = w.world.db.prepare(
        `INSERT INTO posts (uid, rkey, state, cid, sort_at, record)
        SELECT uid, @rkey, 1, @cid, @at, record FROM posts WHERE uid = @uid LIMIT 1`,
      )
      for (let i = 0; i < 12_000; i++) {
        insert.run({ uid, rkey: `k${i}`, cid: Buffer.alloc(32, i), at: w.now() + i })
      }
    })()

    const read = (cursor: string | undefined) =>
      w.get<Feed>(NSID, { actor: bob, filter: 'posts_with_video', cursor, limit: 10 })

    expect(await allPages(read, keys)).toEqual([film])
  })
})

test('paging to the end returns everything once, in order, at any limit', async () => {
  const random = createRandom(testSeed('getAuthorFeed'))
  const w = start()
  const base = w.now() - 10_000
  const items: ModelItem[] = []
  const subjects = Array.from({ length: 5 }, () => w.post(carol))
  for (let i = 0; i < 150; i++) {
    const sortAt = base + random.below(40)
    const createdAt = new Date(sortAt).toISOString()
    const made = random.chance(0.3)
      ? w.create(bob, 'app.bsky.feed.repost', { subject: random.pick(subjects), createdAt })
      : w.post(bob, { text: `${i}`, createdAt })
    items.push({ key: made.uri, originator: bob, sortAt, cid: made.cid })
  }
  const expected = items.sort(newestFirst).map(({ key }) => key)

  for (const limit of [1, 7, 30, 100]) {
    const read = (cursor: string | undefined) => w.get<Feed>(NSID, { actor: bob, limit, cursor })
    expect(await allPages(read, keys)).toEqual(expected)
  }
})

describe('pins', () => {
  test('are at the top of the first page, once, when asked for', async () => {
    const w = start()
    const pinned = w.post(bob)
    const others = Array.from({ length: 4 }, () => w.post(bob).uri).reverse()
    w.profile(bob, { pinnedPost: pinned })

    const first = await w.get<Feed>(NSID, { actor: bob, includePins: true, limit: 3 })
    const without = await w.get<Feed>(NSID, { actor: bob })

    expect(first.feed.map(({ post }) => post.uri)).toEqual([pinned.uri, ...others.slice(0, 3)])
    expect(first.feed[0]!.reason?.$type).toBe('app.bsky.feed.defs#reasonPin')
    expect(keys(without)).toEqual([...others, pinned.uri])
  })

  test('are not repeated by the author’s own repost of them', async () => {
    const w = start()
    const [pinned, other] = [w.post(bob), w.post(carol)]
    const [again, stored] = [w.repost(bob, pinned), w.repost(bob, other)]
    w.profile(bob, { pinnedPost: pinned })

    const first = await w.get<Feed>(NSID, { actor: bob, includePins: true })
    const without = await w.get<Feed>(NSID, { actor: bob })

    const reposts = (page: Feed) =>
      page.feed.flatMap(({ reason }) => (reason && 'uri' in reason ? [reason.uri] : []))
    expect(reposts(first)).toEqual([stored.uri])
    expect(reposts(without)).toEqual([stored.uri, again.uri])
  })

  test('of another author’s post, or of a deleted one, are left out', async () => {
    const w = start()
    const own = w.post(bob)
    w.profile(bob, { pinnedPost: w.post(carol) })
    expect(keys(await w.get<Feed>(NSID, { actor: bob, includePins: true }))).toEqual([own.uri])

    const gone = w.post(carol)
    w.profile(carol, { pinnedPost: gone })
    w.delete(gone)
    const page = await w.get<Feed>(NSID, { actor: carol, includePins: true })
    expect(keys(page)).not.toContain(gone.uri)
  })
})

describe('access', () => {
  test('is refused to both sides of a block', async () => {
    const w = start()
    for (const did of [bob, carol]) w.post(did)
    w.block(alice, bob)
    w.block(carol, alice)

    expect(await w.ask(NSID, { actor: bob }, alice)).toMatchObject({
      status: 400,
      body: { error: 'BlockedActor' },
    })
    expect(await w.ask(NSID, { actor: carol }, alice)).toMatchObject({
      status: 400,
      body: { error: 'BlockedByActor' },
    })
    expect((await w.get<Feed>(NSID, { actor: bob })).feed).toHaveLength(1)
  })

  test('includes a muted author’s own page, but not their posts reposted by others', async () => {
    const w = start()
    const muted = w.post(bob)
    w.repost(carol, muted)
    const stored = w.post(carol)
    w.mute(alice, bob)

    expect(keys(await w.get<Feed>(NSID, { actor: bob }, alice))).toEqual([muted.uri])
    expect(keys(await w.get<Feed>(NSID, { actor: carol }, alice))).toEqual([stored.uri])
  })

  test('is refused where the account is unknown or inactive', async () => {
    const w = start()
    w.post(bob)
    w.status(bob, 'takendown')

    for (const actor of [bob, 'nobody.test']) {
      const { status, body } = await w.ask(NSID, { actor }, alice)
      expect([status, body['error'], body['message']]).toEqual([
        400,
        'InvalidRequest',
        'Profile not found',
      ])
    }
    const unknown = await w.ask(NSID, { actor: didOf('nobody') }, alice)
    expect(unknown).toMatchObject({ status: 503, body: { error: 'NotHereYet' } })
  })

  test('works by handle, and refuses an invalid cursor', async () => {
    const w = start()
    const post = w.post(bob)
    w.handle(bob, 'bob.test')

    expect(keys(await w.get<Feed>(NSID, { actor: 'Bob.test' }))).toEqual([post.uri])
    expect((await w.ask(NSID, { actor: bob, cursor: 'rubbish' })).status).toBe(400)
    expect(await w.get<Feed>(NSID, { actor: bob, cursor: '1::2' })).toEqual({ feed: [] })
    expect((await w.ask(NSID, { actor: 'not a handle' })).status).toBe(400)
  })
})

function toRef(w: ServingWorld, uri: string) {
  const event = w.world.sent.find((event) => 'cid' in event && uri.endsWith(`/${event.rkey}`))
  return { uri, cid: (event as { cid: string }).cid }
}
