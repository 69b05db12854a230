// Feeds through the PDS, which first asks us for a generator's record and addresses the token to the
// generator; and people's declarations and records other than posts.

import type { AtUriString } from '@atproto/lex'
import { app } from '@bsky/sdk/lexicons'
import { expect, test } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { create, follow, like, post, put, remove } from '../support/account.ts'
import { startFeedGenerator } from '../support/feed-generator.ts'
import { profile, texts } from '../support/reading.ts'
import { people, type World } from '../support/world.ts'

const GENERATOR = 'app.bsky.feed.generator'
const DISCOVER: AtUriString =
  'at://did:plc:z72i7hdynmk6r22z27h6tvur/app.bsky.feed.generator/whats-hot'

/** Why For You shows a post. */
const LIKED_HERE = /^liked by \d+ members? here$/

export function feedsChapter(world: () => World): void {
  test('a feed shows the posts its generator chose, strangers’ included', async () => {
    const [alice, bob, stranger] = await people(world(), 'alice', 'bob', 'stranger')
    // A token for a feed generator does not create a member, and strangers' posts are fetched only
    // for members.
    await alice.client().call(app.bsky.actor.getProfile, { actor: alice.did })
    const generator = await startFeedGenerator()
    try {
      const record = { did: generator.did, displayName: 'Chosen' }
      const feed = await create(bob, GENERATOR, record, { rkey: 'chosen' })
      const posts = [await post(stranger, 'by a stranger'), await post(bob, 'by bob')]
      generator.gives(posts)
      for (const way of ['by-configuration', 'by-header'] as const) {
        await eventually(async () => {
          const page = await alice.client(way).call(app.bsky.feed.getFeed, { feed: feed.uri })
          expect(texts(page.feed)).toEqual(['by a stranger', 'by bob'])
          expect(page.feed[0]).toMatchObject({ feedContext: 'because' })
          expect(page.cursor).toBe('end')
        })
      }
      expect(generator.claims[0]).toMatchObject({
        iss: alice.did,
        aud: generator.did,
        lxm: 'app.bsky.feed.getFeedSkeleton',
      })
      await like(alice, feed)
      await eventually(async () => {
        const { view, isOnline } = await alice
          .client()
          .call(app.bsky.feed.getFeedGenerator, { feed: feed.uri })
        expect(view).toMatchObject({
          displayName: 'Chosen',
          likeCount: 1,
          creator: { did: bob.did },
        })
        expect(isOnline).toBe(true)
        const feeds = [feed.uri, DISCOVER]
        const all = await alice.client().call(app.bsky.feed.getFeedGenerators, { feeds })
        expect(all.feeds.map(({ uri }) => uri)).toEqual(feeds)
      })
      await remove(bob, feed)
      await eventually(async () => {
        const none = await alice.client().call(app.bsky.feed.getActorFeeds, { actor: bob.did })
        expect(none.feeds).toEqual([])
      })
    } finally {
      await generator.stop()
    }
  })

  test('the feed at the end of Following has only what members liked while the outside world is unreachable', async () => {
    const alice = await world().person('alice')
    const page = await alice.client().call(app.bsky.feed.getFeed, { feed: DISCOVER, limit: 30 })
    const others = page.feed.filter(({ feedContext = '' }) => !LIKED_HERE.test(feedContext))
    expect(others).toEqual([])
  })

  test('declarations, starter packs and their members are shown', async () => {
    const [alice, bob, carol] = await people(world(), 'alice', 'bob', 'carol')
    await follow(alice, bob)
    await put(bob, 'chat.bsky.actor.declaration', 'self', { allowIncoming: 'none' })
    const purpose = 'app.bsky.graph.defs#referencelist'
    const list = await create(bob, 'app.bsky.graph.list', { name: 'people', purpose })
    await create(bob, 'app.bsky.graph.listitem', { list: list.uri, subject: carol.did })
    const pack = await create(bob, 'app.bsky.graph.starterpack', { name: 'Start', list: list.uri })
    await world().stands('a starter pack and a declaration', async () => {
      expect((await profile(alice, bob)).associated).toMatchObject({
        chat: { allowIncoming: 'none' },
        starterPacks: 1,
        lists: 1,
      })
      const { starterPack } = await alice
        .client()
        .call(app.bsky.graph.getStarterPack, { starterPack: pack.uri })
      expect(starterPack.listItemsSample?.map(({ subject }) => subject.did)).toEqual([carol.did])
    })
  })
}
