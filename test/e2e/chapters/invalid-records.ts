// Records that no lexicon allows, in a real repository: they are left out, and a strict decoder accepts the
// records around them.

import type { BlobRef } from '@atproto/api'
import { expect, test } from 'vitest'
import { DAY_MS } from '../../../src/base/util/durations.ts'
import { eventually } from '../../support/eventually.ts'
import { create, follow, post, put, uploadImage } from '../support/account.ts'
import { authorFeed, followers, postView, profile, texts, timeline } from '../support/reading.ts'
import { people, type World } from '../support/world.ts'

const NEVER_WAS = 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku'

/** Each is invalid in one way. */
function invalidPosts(image: BlobRef): Record<string, Record<string, unknown>> {
  return {
    'no text': { text: undefined },
    'text that is a number': { text: 7 },
    'text that is too long': { text: 'x'.repeat(3001) },
    'too many graphemes': { text: 'é'.repeat(301) },
    'a creation time in words': { text: 'bad', createdAt: 'yesterday' },
    'a creation time without a time': { text: 'bad', createdAt: '2024-01-01' },
    'no creation time': { text: 'bad', createdAt: undefined },
    'five images': { text: 'bad', embed: images(Array(5).fill({ image: image, alt: '' })) },
    'an image without alternative': { text: 'bad', embed: images([{ image: image }]) },
    'a flat image': {
      text: 'bad',
      embed: images([{ image: image, alt: '', aspectRatio: { width: 0, height: 1 } }]),
    },
    'an embed without a type': { text: 'bad', embed: { images: [] } },
    'an external link that is none': {
      text: 'bad',
      embed: {
        $type: 'app.bsky.embed.external',
        external: { uri: 'nowhere', title: '', description: '' },
      },
    },
    'a reply to nothing': { text: 'bad', reply: { root: { uri: 'at://x', cid: 'y' } } },
    'a quote of nothing': {
      text: 'bad',
      embed: { $type: 'app.bsky.embed.record', record: { uri: 'at://nobody', cid: 'nothing' } },
    },
    'a facet that is no object': { text: 'bad', facets: ['x'] },
    'languages that are none': { text: 'bad', langs: [1, 2] },
  }
}

/** Odd but valid posts, which must be shown. */
const ODD_POSTS: Record<string, Record<string, unknown>> = {
  'odd: an embed of a kind not known': { embed: { $type: 'com.example.embed', x: 1 } },
  'odd: a field not known': { 'com.example.field': { deep: [1, 2, { x: null }] } },
  'odd: a quote of a post that never was': {
    embed: {
      $type: 'app.bsky.embed.record',
      record: {
        uri: 'at://did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/app.bsky.feed.post/3kzzzzzzzzz2z',
        cid: NEVER_WAS,
      },
    },
  },
  'odd: a quote of something else': {
    embed: {
      $type: 'app.bsky.embed.record',
      record: {
        uri: 'at://did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/com.example.thing/self',
        cid: NEVER_WAS,
      },
    },
  },
  'odd: a reply to what never was': {
    reply: {
      root: {
        uri: 'at://did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/app.bsky.feed.post/3kzzzzzzzzz2a',
        cid: NEVER_WAS,
      },
      parent: {
        uri: 'at://did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/app.bsky.feed.post/3kzzzzzzzzz2b',
        cid: NEVER_WAS,
      },
    },
  },
  'odd: from 1970': { createdAt: '1970-01-01T00:00:00Z' },
  'odd: \u0000\u202e😀 text': {},
}

export function invalidRecordsChapter(world: () => World): void {
  test('invalid posts are left out and break no page', async () => {
    const [alice, bob] = await people(world(), 'alice', 'bob')
    await follow(alice, bob)
    await post(bob, 'before')
    for (const fields of Object.values(invalidPosts(await uploadImage(bob)))) {
      await create(bob, 'app.bsky.feed.post', fields, { validate: false })
    }
    await create(bob, 'com.example.unknown', { anything: 'goes' }, { validate: false })
    await post(bob, 'after')
    await world().stands('invalid posts', async () => {
      expect(texts(await timeline(alice))).toEqual(['after', 'before'])
      expect(texts(await authorFeed(alice, bob))).toEqual(['after', 'before'])
    })
  })

  test('odd but valid posts are shown', async () => {
    const [alice, bob] = await people(world(), 'alice', 'bob')
    await follow(alice, bob)
    for (const [text, fields] of Object.entries(ODD_POSTS)) {
      await create(bob, 'app.bsky.feed.post', { text, ...fields }, { validate: false })
    }
    await world().stands('odd posts', async () => {
      const expected = Object.keys(ODD_POSTS).toSorted()
      expect(texts(await timeline(alice)).toSorted()).toEqual(expected)
      expect(texts(await authorFeed(alice, bob)).toSorted()).toEqual(expected)
    })
  })

  test('a post from the future stays at the top only until others are newer', async () => {
    const [alice, bob] = await people(world(), 'alice', 'bob')
    await follow(alice, bob)
    const createdAt = new Date(Date.now() + 365 * DAY_MS).toISOString()
    const early = await post(bob, 'from the future', { createdAt })
    await eventually(async () => {
      expect((await postView(alice, early)).uri).toBe(early.uri)
    })
    await post(bob, 'from today')
    await world().stands('a post from the future', async () => {
      expect(texts(await timeline(alice))).toEqual(['from today', 'from the future'])
    })
  })

  test('an invalid profile, follow, like and block have no effect', async () => {
    const [alice, bob] = await people(world(), 'alice', 'bob')
    const validate = false
    await follow(alice, bob)
    const liked = await post(bob, 'like me properly')
    const tooLong = { displayName: 'n'.repeat(700), avatar: 'not a blob' }
    await put(bob, 'app.bsky.actor.profile', 'self', tooLong, { validate })
    await create(alice, 'app.bsky.feed.like', { subject: liked.uri }, { validate })
    await create(alice, 'app.bsky.graph.block', { subject: 'bob' }, { validate })
    await create(alice, 'app.bsky.graph.follow', { subject: 42 }, { validate })
    await create(alice, 'app.bsky.feed.repost', { subject: { uri: 'x' } }, { validate })
    const last = await post(bob, 'after all that')
    await world().stands('invalid records of other kinds', async () => {
      expect((await postView(alice, last)).author.displayName ?? '').toBe('')
      expect((await postView(alice, liked)).likeCount).toBe(0)
      expect(texts(await timeline(alice))).toEqual(['after all that', 'like me properly'])
      expect((await profile(alice, bob)).avatar).toBeUndefined()
      expect(await followers(alice, bob)).toEqual([alice.did])
    })
  })
}

function images(list: unknown[]): Record<string, unknown> {
  return { $type: 'app.bsky.embed.images', images: list }
}
