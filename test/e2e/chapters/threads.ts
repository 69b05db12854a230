// Threads and acts on a post, as the app reads them through the PDS, with each answer decoded by its strict
// decoder. The app's package lacks the two methods under development; the reference has them in the same
// form.

import { app } from '@bsky/sdk/lexicons'
import { expect, test } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import * as unspecced from '../node_modules/@atproto/bsky/dist/lexicons/app/bsky/unspecced.js'
import {
  type Account,
  create,
  follow,
  like,
  post,
  type Ref,
  remove,
  reply,
  repost,
} from '../support/account.ts'
import { people, type World } from '../support/world.ts'

const { getPostThreadV2, getPostThreadOtherV2 } = unspecced
const { getPostThread, getLikes, getRepostedBy, getQuotes, getActorLikes } = app.bsky.feed

type Items = { depth: number; value: { $type?: string; post?: { record: unknown } } }[]

/** Depth and text of each item, or its type if it is not a post. */
function outline(thread: Items): [number, string][] {
  return thread.map(({ depth, value }) => {
    const { text } = (value.post?.record ?? {}) as { text?: string }
    return [depth, text ?? value.$type?.split('#')[1] ?? '?']
  })
}

async function threadOf(reader: Account, { uri }: Ref): Promise<[number, string][]> {
  const { thread } = await reader.client().call(getPostThreadV2, { anchor: uri, sort: 'oldest' })
  return outline(thread as Items)
}

/** Waits for the post; from then on strangers' acts on it are kept. */
async function isThere(reader: Account, ref: Ref): Promise<void> {
  await eventually(async () => expect(await threadOf(reader, ref)).not.toContainEqual(NOT_FOUND))
}

const NOT_FOUND = [0, 'threadItemNotFound']

export function threadsChapter(world: () => World): void {
  test('a thread can be read from each of its posts, and deleted posts are marked', async () => {
    const [alice, bob, carol] = await people(world(), 'alice', 'bob', 'carol')
    await follow(alice, bob)
    const root = await post(bob, 'root')
    await isThere(alice, root)
    const answer = await reply(carol, root, root, 'an answer')
    const more = await reply(bob, root, root, 'the owner goes on')
    const deep = await reply(alice, root, answer, 'deep')
    await eventually(async () => {
      expect(await threadOf(alice, root)).toEqual([
        [0, 'root'],
        [1, 'the owner goes on'],
        [1, 'an answer'],
        [2, 'deep'],
      ])
      expect(await threadOf(carol, deep)).toEqual([
        [-2, 'root'],
        [-1, 'an answer'],
        [0, 'deep'],
      ])
    })
    await remove(bob, more)
    await remove(carol, answer)
    await world().stands('a thread with two deleted posts', async () => {
      expect(await threadOf(alice, root)).toEqual([[0, 'root']])
      expect(await threadOf(alice, deep)).toEqual([
        [-1, 'threadItemNotFound'],
        [0, 'deep'],
      ])
    })
  })

  test('a reply that the owner hides is set aside, except for its author', async () => {
    const [alice, bob, carol] = await people(world(), 'alice', 'bob', 'carol')
    await follow(alice, bob)
    const root = await post(bob, 'root')
    await isThere(alice, root)
    const rude = await reply(carol, root, root, 'rude')
    await eventually(async () => expect(await threadOf(alice, root)).toHaveLength(2))
    const gate = { post: root.uri, hiddenReplies: [rude.uri] }
    await create(bob, 'app.bsky.feed.threadgate', gate, { rkey: root.uri.split('/').at(-1)! })
    await eventually(async () => {
      const anchor = root.uri
      const main = await alice.client().call(getPostThreadV2, { anchor })
      expect(outline(main.thread as Items)).toEqual([[0, 'root']])
      expect(main.hasOtherReplies).toBe(true)
      const others = await alice.client().call(getPostThreadOtherV2, { anchor })
      expect(others.thread).toMatchObject([{ depth: 1, value: { hiddenByThreadgate: true } }])
      expect(await threadOf(carol, root)).toHaveLength(2)
    })
  })

  test('version 1 is completed by the PDS with the viewer’s latest writes', async () => {
    const [alice, bob] = await people(world(), 'alice', 'bob')
    await follow(alice, bob)
    const root = await post(bob, 'root')
    await reply(alice, root, root, 'first')
    const read = async () => {
      const { thread } = await alice.client().call(getPostThread, { uri: root.uri })
      const { replies = [] } = thread as { replies?: { post: { record: { text: string } } }[] }
      return replies.map(({ post }) => post.record.text)
    }
    await eventually(async () => expect(await read()).toEqual(['first']))
    await reply(alice, root, root, 'second')
    expect((await read()).sort()).toEqual(['first', 'second'])
    await eventually(async () => expect(await read()).toEqual(['second', 'first']))
  })

  test('likes, reposts and quotes of a post are listed, and the viewer’s own likes', async () => {
    const [alice, bob, carol] = await people(world(), 'alice', 'bob', 'carol')
    await follow(alice, bob)
    const liked = await post(bob, 'like me')
    await isThere(alice, liked)
    for (const who of [carol, alice]) {
      await like(who, liked)
      await repost(who, liked)
    }
    await post(carol, 'see', { embed: { $type: 'app.bsky.embed.record', record: liked } })
    await world().stands('likes, reposts and quotes', async () => {
      const { uri } = liked
      const client = bob.client()
      const { likes } = await client.call(getLikes, { uri })
      expect(likes.map(({ actor }) => actor.did)).toEqual([alice.did, carol.did])
      const { repostedBy } = await client.call(getRepostedBy, { uri })
      expect(repostedBy.map(({ did }) => did)).toEqual([alice.did, carol.did])
      const { posts } = await client.call(getQuotes, { uri })
      expect(posts).toMatchObject([{ author: { did: carol.did }, record: { text: 'see' } }])
      const { feed } = await alice.client().call(getActorLikes, { actor: alice.did })
      expect(feed.map(({ post }) => post.uri)).toEqual([uri])
    })
  })

  test('a muted thread says so', async () => {
    const [alice, bob] = await people(world(), 'alice', 'bob')
    await follow(alice, bob)
    const root = await post(bob, 'noisy')
    await isThere(alice, root)
    await alice.client().call(app.bsky.graph.muteThread, { root: root.uri })
    await world().stands('a muted thread', async () => {
      const { thread } = await alice.client().call(getPostThreadV2, { anchor: root.uri })
      expect(thread).toMatchObject([{ value: { post: { viewer: { threadMuted: true } } } }])
    })
  })
}
