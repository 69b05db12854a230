// Replies, quotes, and the effect of deleting the posts they refer to.

import { expect, test } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { create, follow, post, remove, reply } from '../support/account.ts'
import { postView, texts, timeline } from '../support/reading.ts'
import { people, type World } from '../support/world.ts'

export function conversationsChapter(world: () => World): void {
  test('a reply is shown with its parent, its root and the grandparent’s author', async () => {
    const [alice, bob, carol] = await people(world(), 'alice', 'bob', 'carol')
    await follow(alice, bob)
    const root = await post(carol, 'root')
    const parent = await reply(bob, root, root, 'parent')
    await reply(bob, root, parent, 'child')
    await world().stands('a thread', async () => {
      const feed = await timeline(alice)
      expect(texts(feed)).toEqual(['child', 'parent'])
      expect(feed[0]?.reply).toMatchObject({
        root: { $type: 'app.bsky.feed.defs#postView', record: { text: 'root' } },
        parent: { $type: 'app.bsky.feed.defs#postView', record: { text: 'parent' } },
        grandparentAuthor: { did: carol.did },
      })
    })
  })

  test('a reply to a deleted post remains, and marks the post as not found', async () => {
    const [alice, bob, carol] = await people(world(), 'alice', 'bob', 'carol')
    await follow(alice, bob)
    const root = await post(carol, 'soon gone')
    await reply(bob, root, root, 'answer')
    await eventually(async () => {
      expect((await timeline(alice))[0]?.reply?.root.$type).toBe('app.bsky.feed.defs#postView')
    })
    await remove(carol, root)
    await world().stands('a deleted root', async () => {
      const [item] = await timeline(alice)
      const tombstone = { $type: 'app.bsky.feed.defs#notFoundPost', uri: root.uri, notFound: true }
      expect(item?.reply).toMatchObject({ root: tombstone, parent: tombstone })
    })
  })

  test('a quote shows the quoted post, is counted, and says so when that is deleted', async () => {
    const [alice, bob, carol] = await people(world(), 'alice', 'bob', 'carol')
    await follow(alice, bob)
    const [stored, gone] = [await post(carol, 'quote me'), await post(carol, 'forget me')]
    for (const quoted of [stored, gone]) {
      await post(bob, 'so true', { embed: { $type: 'app.bsky.embed.record', record: quoted } })
    }
    await eventually(async () => {
      expect((await postView(alice, stored)).quoteCount).toBe(1)
      expect((await timeline(alice)).map(({ post }) => post.embed)).toMatchObject([
        { record: { $type: 'app.bsky.embed.record#viewRecord', uri: gone.uri } },
        { record: { $type: 'app.bsky.embed.record#viewRecord', value: { text: 'quote me' } } },
      ])
    })
    await remove(carol, gone)
    await world().stands('a deleted quotation', async () => {
      expect((await timeline(alice)).map(({ post }) => post.embed)).toMatchObject([
        { record: { $type: 'app.bsky.embed.record#viewNotFound', uri: gone.uri } },
        { record: { $type: 'app.bsky.embed.record#viewRecord', uri: stored.uri } },
      ])
    })
  })

  test('a threadgate closes a thread to strangers and says so', async () => {
    const [alice, bob, carol] = await people(world(), 'alice', 'bob', 'carol')
    await follow(alice, bob)
    await follow(alice, carol)
    const root = await post(bob, 'no replies please')
    await eventually(async () => {
      expect(texts(await timeline(alice))).toEqual(['no replies please'])
    })
    const gate = { post: root.uri, allow: [] }
    await create(bob, 'app.bsky.feed.threadgate', gate, { rkey: root.uri.split('/').at(-1)! })
    await eventually(async () => {
      expect((await postView(carol, root)).viewer?.replyDisabled).toBe(true)
    })
    await reply(carol, root, root, 'a reply all the same')
    await world().stands('a threadgate', async () => {
      const feed = await timeline(alice)
      expect(texts(feed)).toEqual(['a reply all the same', 'no replies please'])
      expect(feed[0]?.reply).toBeUndefined()
      expect(feed[0]?.post.viewer?.replyDisabled).toBe(true)
      expect(feed[1]?.post.threadgate).toMatchObject({ record: { post: root.uri } })
    })
  })

  test('a postgate detaches a quotation', async () => {
    const [alice, bob, carol] = await people(world(), 'alice', 'bob', 'carol')
    await follow(alice, bob)
    const quoted = await post(carol, 'mine')
    const embed = { $type: 'app.bsky.embed.record', record: quoted }
    const quoting = await post(bob, 'look at that', { embed })
    await eventually(async () => {
      const [item] = await timeline(alice)
      expect(item?.post.embed).toMatchObject({ record: { uri: quoted.uri } })
    })
    const gate = { post: quoted.uri, detachedEmbeddingUris: [quoting.uri] }
    await create(carol, 'app.bsky.feed.postgate', gate, { rkey: quoted.uri.split('/').at(-1)! })
    await world().stands('a postgate', async () => {
      const [item] = await timeline(alice)
      expect(item?.post.embed).toMatchObject({
        record: { $type: 'app.bsky.embed.record#viewDetached', uri: quoted.uri },
      })
    })
  })
}
