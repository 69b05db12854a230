// Acts from before the server listened: Bob's posts and followers were counted by a public AppView, here a
// complete Slipstream that received everything. The shown counts are the sum of those and of later acts, and
// the two are never confused.

import type { StreamEvent } from '@slipstream/jetstream'
import { describe, expect, test } from 'vitest'
import { putBackfill } from '../../../src/data/store/fetching/backfills.ts'
import { eventually } from '../../support/eventually.ts'
import { allPages } from '../../support/serving-world.ts'
import type { RecordId } from '../../support/world.ts'
import { alice, bob, createTwoWorlds, eve, fans, mallory, moe } from './two-worlds.ts'

type Counts = { likeCount: number; repostCount: number; replyCount: number; quoteCount: number }
type Post = Counts & { uri: string; viewer?: { like?: string } }
type Profile = { did: string; followersCount: number; followsCount: number; postsCount: number }

const QUICK = { restMs: 5, lookEveryMs: 20 }
const PROFILE = 'app.bsky.actor.getProfile'

type Options = Parameters<typeof createTwoWorlds>[1]

/**
 * Bob's post with eight likes, reposts, replies and quotes by fans who follow him, all unknown
 * here.
 */
async function start(options: Options = {}) {
  let post: RecordId | undefined
  const two = await createTwoWorlds(
    (there) => {
      post = there.post(bob, 'before anybody listened')
      for (const fan of fans) {
        there.like(fan, post)
        there.repost(fan, post)
        there.post(fan, { text: 'a reply', reply: { parent: post } })
        there.post(fan, { text: 'look', quote: post })
        there.follow(fan, bob)
      }
    },
    {
      counts: QUICK,
      isEarlier: (event) => event.kind === 'commit' && fans.includes(event.did),
      ...options,
    },
  )
  const { here } = two
  const visible = async (viewer?: string): Promise<Post> => {
    const query = { uris: [post!.uri] }
    const { posts } = await here.get<{ posts: Post[] }>('app.bsky.feed.getPosts', query, viewer)
    return posts[0]!
  }
  const inTimeline = async (): Promise<Post> => {
    type Feed = { feed: { post: Post }[] }
    const { feed } = await here.get<Feed>('app.bsky.feed.getTimeline', {}, alice)
    return feed.find((item) => item.post.uri === post!.uri)!.post
  }
  const profile = (actor: string, viewer = alice) => here.get<Profile>(PROFILE, { actor }, viewer)
  return { ...two, post: post!, shown: visible, inTimeline, profile }
}

/** On a machine under any load. */
const soon = <T>(look: () => T | Promise<T>) => eventually(look)

const EIGHT = { likeCount: 8, repostCount: 8, replyCount: 8, quoteCount: 8 }

describe('a post from before', () => {
  test('has its counts a moment later, wherever it is shown, and ours are added', async () => {
    const { here, post, shown: visible, inTimeline } = await start()
    await soon(async () => expect(await inTimeline()).toMatchObject(EIGHT))
    expect(await visible()).toMatchObject(EIGHT)
    const like = here.like(moe, post)
    here.like(alice, post)
    expect(await visible(alice)).toMatchObject({ ...EIGHT, likeCount: 10 })
    expect((await inTimeline()).viewer?.like).toContain(alice)
    here.delete(like)
    here.post(moe, { reply: { parent: post } })
    expect(await inTimeline()).toMatchObject({ ...EIGHT, likeCount: 9, replyCount: 9 })
    // Deleting a like unknown here subtracts nothing.
    here.delete(`at://${fans[0]}/app.bsky.feed.like/3kkkkkkkkkkkk`)
    expect(await visible()).toMatchObject({ likeCount: 9 })
  })

  test('keeps them over a restart, without asking again', async () => {
    const { here, double, post, countAnew } = await start()
    const countOf = () =>
      here.world.db.prepare<[], number>('SELECT likes FROM earlier_post_counts').pluck().all()
    await soon(() => expect(countOf()).toContain(8))
    const requested = () => double.askedFor('app.bsky.feed.getPosts').flatMap(({ uris }) => uris)
    expect(requested().filter((uri) => uri === post.uri)).toHaveLength(1)
    here.restart()
    await countAnew()
    here.like(moe, post)
    const looked = double.askedFor('app.bsky.actor.getProfiles').length
    const more = here.post(bob, 'another')
    await soon(() => expect(requested()).toContain(more.uri))
    expect(double.askedFor('app.bsky.actor.getProfiles').length).toBe(looked)
    expect(requested().filter((uri) => uri === post.uri)).toHaveLength(1)
    const [likes] = here.world.db
      .prepare<[], [number, number]>(
        `SELECT c.likes, e.likes FROM post_counts c JOIN earlier_post_counts e USING (post)
          WHERE e.likes > 0`,
      )
      .raw()
      .all()
    expect(likes).toEqual([1, 8])
  })

  test('shows ours alone if no AppView may be asked, or none answers', async () => {
    const off = await start({ counts: undefined })
    expect(await off.shown()).toMatchObject({ likeCount: 0, replyCount: 0 })
    expect(await off.profile(bob)).toMatchObject({ followersCount: 1, postsCount: 1 })
    expect(off.double.asked).toEqual([])
    const down = await start()
    down.double.misbehave({ status: 500 })
    expect(await down.profile(bob)).toMatchObject({ postsCount: 1 })
    await soon(() => expect(down.double.asked.length).toBeGreaterThan(0))
    expect(await down.shown()).toMatchObject({ likeCount: 0 })
  })

  test('believes no invalid count', async () => {
    const reported: Record<string, unknown> = { likeCount: -3, repostCount: 1.5, replyCount: 1e300 }
    const {
      here,
      double,
      post,
      shown: visible,
    } = await start({ counts: { ...QUICK, lookEveryMs: 1e6 } })
    double.answer('app.bsky.feed.getPosts', () => ({
      posts: [
        null,
        { uri: `at://${bob}/app.bsky.feed.post/3kkkkkkkkkkkk`, likeCount: 77 },
        { uri: post.uri, quoteCount: '12', ...reported },
        7,
      ],
    }))
    await visible()
    const rows = () =>
      here.world.db
        .prepare('SELECT likes + reposts + replies + quotes AS sum FROM earlier_post_counts')
        .all()
    await soon(() => expect(rows()).toEqual([{ sum: 0 }]))
    here.delete(here.like(moe, post))
    expect(await visible()).toMatchObject({ likeCount: 0, repostCount: 0, replyCount: 0 })
  })

  test('is not asked about while all acts on it came by the stream, until some of them are lost', async () => {
    const { here, double, shown: visible, post } = await start()
    await soon(async () => expect(await visible()).toMatchObject(EIGHT))
    putBackfill(here.world.db, here.uid(bob), 'feed', { rev: null, finished_at: here.now() })
    here.tick(1_000)
    const live = here.post(bob, 'heard from the start')
    const requested = (uri: string) =>
      double
        .askedFor('app.bsky.feed.getPosts')
        .flatMap(({ uris }) => uris)
        .filter((value) => value === uri)
    const unknown = here.post(eve, { text: 'by a stranger', reply: { parent: live } })
    const query = { uris: [live.uri, unknown.uri] }
    await here.get('app.bsky.feed.getPosts', query, alice)
    await soon(() => expect(requested(unknown.uri)).toHaveLength(1))
    expect(requested(live.uri)).toEqual([])
    const until = (here.now() + 5_000) * 1000
    here.world.db
      .prepare(`INSERT INTO gaps (host, uid, from_us, to_us, cause, found_at, state, closed_at, how, note)
        VALUES ('x', NULL, 0, ?, 'cursor-too-old', 0, 'closed', 0, 'compared', 'some is lost')`)
      .run(until)
    here.tick(10_000)
    await soon(() =>
      expect([requested(live.uri), requested(post.uri)]).toMatchObject([
        [live.uri],
        [post.uri, post.uri],
      ]),
    )
  })
})

describe('an account that members follow', () => {
  test('has its counts on first view, and later events are added', async () => {
    const { here, profile } = await start()
    expect(await profile(bob)).toMatchObject({ followersCount: 9, followsCount: 1, postsCount: 1 })
    const follow = here.follow(moe, bob)
    here.post(bob, 'live')
    expect(await profile(bob)).toMatchObject({ followersCount: 10, postsCount: 2 })
    here.delete(follow)
    expect(await profile(bob)).toMatchObject({ followersCount: 9 })
    const { profiles } = await here.get<{ profiles: Profile[] }>(
      'app.bsky.actor.getProfiles',
      { actors: [alice, bob, eve] },
      alice,
    )
    expect(profiles.map(({ followersCount }) => followersCount)).toEqual([0, 9, 9])
  })

  test('is asked about again after hours, when it is shown', async () => {
    const { here, there, double, profile } = await start()
    await profile(bob)
    const requested = () =>
      double.askedFor('app.bsky.actor.getProfiles').flatMap(({ actors }) => actors)
    const before = requested().filter((did) => did === bob).length
    there.follow(mallory, bob)
    await profile(bob)
    expect(requested().filter((did) => did === bob)).toHaveLength(before)
    here.tick(7 * 3_600_000)
    await soon(async () => expect((await profile(bob)).followersCount).toBe(10))
  })

  test('and has no more follows than its list, once the list was read completely', async () => {
    const { here, profile, there } = await start({
      isEarlier: (event) => isBy(event, bob) || fans.includes(event.did),
    })
    there.follow(bob, moe)
    expect(await profile(bob)).toMatchObject({ followsCount: 2 })
    putBackfill(here.world.db, here.uid(bob), 'follows', { rev: null, finished_at: here.now() })
    here.tick(7 * 3_600_000)
    await soon(async () => expect((await profile(bob)).followsCount).toBe(0))
  })
})

const isBy = (event: StreamEvent, did: string) => event.kind === 'commit' && event.did === did

describe('lists of followers and reactions', () => {
  const methods = [
    ['app.bsky.graph.getFollowers', 'actor', 'followers'],
    ['app.bsky.feed.getLikes', 'uri', 'likes'],
    ['app.bsky.feed.getRepostedBy', 'uri', 'repostedBy'],
    ['app.bsky.feed.getQuotes', 'uri', 'posts'],
  ] as const
  type Page = { cursor?: string } & Record<string, Record<string, unknown>[]>
  const didIn = (item: Record<string, unknown>) =>
    (((item['actor'] ?? item['author']) as { did: string }) ?? item).did ?? item['did']

  test.each(methods)('%s: ours come first, then theirs, each once', async (nsid, param, field) => {
    const {
      here,
      post,
      shown: visible,
      profile,
    } = await start({
      // Events of two fans and of Moe were received here.
      isEarlier: (event) => fans.slice(2).some((fan) => isBy(event, fan)),
    })
    await soon(async () => expect(await visible()).toMatchObject(EIGHT))
    await profile(bob)
    here.follow(moe, bob)
    here.like(moe, post)
    here.repost(moe, post)
    here.post(moe, { text: 'look', quote: post })
    const query = param === 'actor' ? { actor: bob } : { uri: post.uri }
    for (const limit of [1, 2, 3, 5, 100]) {
      const all = await allPages(
        (cursor) => here.get<Page>(nsid, { ...query, limit, cursor }, alice),
        (page) => page[field]!,
      )
      const dids = all.map(didIn)
      const ours = field === 'followers' ? [moe, fans[0], fans[1], alice] : [moe, fans[0], fans[1]]
      expect(new Set(dids)).toEqual(new Set([...ours, ...fans]))
      expect(dids).toHaveLength(new Set(dids).size)
      expect(new Set(dids.slice(0, ours.length))).toEqual(new Set(ours))
    }
  })

  test('leave out accounts the viewer blocks, and end if the AppView does not answer', async () => {
    const { here, there, double, post, shown: visible } = await start()
    there.like(mallory, post)
    await soon(async () => expect((await visible()).likeCount).toBeGreaterThanOrEqual(8))
    const read = (limit: number, cursor?: string | undefined) =>
      here.get<Page>('app.bsky.feed.getLikes', { uri: post.uri, limit, cursor }, alice)
    const { likes = [], cursor } = await read(4)
    expect(likes.length).toBeGreaterThan(2)
    const rest = await read(99, cursor)
    expect(rest['likes']!.map(didIn)).not.toContain(mallory)
    // A page read a moment ago is cached briefly.
    const again = await read(99, cursor)
    expect(again['likes']).toEqual(rest['likes'])
    const { cursor: second } = await read(2)
    double.misbehave({ status: 500 })
    const last = await read(3, second)
    expect(last).toMatchObject({ uri: post.uri, likes: [] })
    expect(last.cursor).toBeUndefined()
  })
})

test('a thread with replies from before is complete', async () => {
  const { here, post, inTimeline } = await start()
  type Thread = { thread: { uri: string; depth: number; value: { post: Post } }[] }
  const { thread } = await here.get<Thread>(
    'app.bsky.unspecced.getPostThreadV2',
    { anchor: post.uri },
    alice,
  )
  expect(thread.filter(({ depth }) => depth === 1)).toHaveLength(8)
  expect(thread[0]?.value.post.replyCount).toBe(8)
  expect(await inTimeline()).toMatchObject(EIGHT)
})
