// The timeline shows exactly the posts that follow from what people write and whom they follow.

import { expect, test } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { follow, like, post, put, remove, reply, repost, uploadImage } from '../support/account.ts'
import { authorFeed, postView, texts, timeline } from '../support/reading.ts'
import { people, type World } from '../support/world.ts'

export function timelineChapter(world: () => World): void {
  test('an account without follows has an empty timeline', async () => {
    const alice = await world().person('alice')
    await world().stands('an empty timeline', async () => {
      expect(await timeline(alice)).toEqual([])
    })
  })

  test('posts of a followed account and one’s own are shown, newest first, until it is unfollowed', async () => {
    const [alice, bob, carol] = await people(world(), 'alice', 'bob', 'carol')
    const following = await follow(alice, bob)
    await post(bob, 'first')
    await post(carol, 'of a stranger')
    await post(alice, 'own')
    await post(bob, 'second')
    await eventually(async () => {
      expect(texts(await timeline(alice))).toEqual(['second', 'own', 'first'])
    })
    await remove(alice, following)
    await world().stands('unfollowed', async () => {
      expect(texts(await timeline(alice))).toEqual(['own'])
    })
  })

  test('unfollowing and following again brings the posts back', async () => {
    const [alice, bob] = await people(world(), 'alice', 'bob')
    const following = await follow(alice, bob)
    await post(bob, 'still there')
    await eventually(async () => {
      expect(texts(await timeline(alice))).toEqual(['still there'])
    })
    await remove(alice, following)
    await eventually(async () => {
      expect(await timeline(alice)).toEqual([])
    })
    await follow(alice, bob)
    await world().stands('followed again', async () => {
      expect(texts(await timeline(alice))).toEqual(['still there'])
    })
  })

  test('both ways through the PDS give the same answer', async () => {
    const [alice, bob] = await people(world(), 'alice', 'bob')
    await follow(alice, bob)
    await post(bob, 'seen on both ways')
    await world().stands('both ways', async () => {
      const [first, other] = [await timeline(alice), await timeline(alice, 'by-header')]
      expect(texts(first)).toEqual(['seen on both ways'])
      expect(other).toEqual(first)
    })
  })

  test('a post with an image shows the image, its alt text and its author', async () => {
    const [alice, bob] = await people(world(), 'alice', 'bob')
    await put(bob, 'app.bsky.actor.profile', 'self', { displayName: 'Bob the Builder' })
    await follow(alice, bob)
    const image = await uploadImage(bob)
    const embed = {
      $type: 'app.bsky.embed.images',
      images: [{ image, alt: 'a pixel', aspectRatio: { width: 1, height: 1 } }],
    }
    await post(bob, 'look', { embed })
    await world().stands('an image', async () => {
      const [item] = await timeline(alice)
      expect(item?.post).toMatchObject({
        author: { did: bob.did, displayName: 'Bob the Builder' },
        embed: {
          $type: 'app.bsky.embed.images#view',
          images: [{ alt: 'a pixel', aspectRatio: { width: 1, height: 1 } }],
        },
      })
      expect(JSON.stringify(item?.post.embed)).toContain(image.ref.toString())
      expect(item?.post.author.viewer?.following).toBeDefined()
    })
  })

  test('likes, reposts and replies are counted and uncounted, and the viewer’s own are named', async () => {
    const [alice, bob, carol] = await people(world(), 'alice', 'bob', 'carol')
    await follow(alice, bob)
    const counted = await post(bob, 'count me')
    // Strangers' likes are kept for posts by members and their follows, once those posts are known.
    await eventually(async () => {
      expect(texts(await timeline(alice))).toEqual(['count me'])
    })
    const likes = [await like(alice, counted), await like(carol, counted), await like(bob, counted)]
    const reposts = [await repost(alice, counted), await repost(carol, counted)]
    await reply(carol, counted, counted, 'a reply')
    await eventually(async () => {
      const view = await postView(alice, counted)
      expect(view).toMatchObject({ likeCount: 3, repostCount: 2, replyCount: 1, quoteCount: 0 })
      expect(view.viewer).toMatchObject({ like: likes[0]?.uri, repost: reposts[0]?.uri })
    })
    await remove(alice, likes[0]!)
    await remove(carol, reposts[1]!)
    await world().stands('counts after undoing', async () => {
      const view = await postView(alice, counted)
      expect(view).toMatchObject({ likeCount: 2, repostCount: 1, replyCount: 1 })
      expect(view.viewer?.like).toBeUndefined()
      expect(view.viewer?.repost).toBe(reposts[0]?.uri)
    })
  })

  test('a repost by a followed account shows a stranger’s post, until it is undone', async () => {
    const [alice, bob, carol] = await people(world(), 'alice', 'bob', 'carol')
    await follow(alice, bob)
    const original = await post(carol, 'from afar')
    const [stored, undone] = [await post(carol, 'kept'), await repost(bob, original)]
    await repost(bob, stored)
    await eventually(async () => {
      const feed = await timeline(alice)
      expect(texts(feed)).toEqual(['kept (repost)', 'from afar (repost)'])
      expect(feed[1]).toMatchObject({
        post: { uri: original.uri, author: { did: carol.did } },
        reason: { by: { did: bob.did }, uri: undone.uri },
      })
    })
    await remove(bob, undone)
    await world().stands('an undone repost', async () => {
      expect(texts(await timeline(alice))).toEqual(['kept (repost)'])
      expect((await postView(alice, original)).repostCount).toBe(0)
    })
  })

  test('a deleted post disappears from the timeline, the author feed and the author’s count', async () => {
    const [alice, bob] = await people(world(), 'alice', 'bob')
    await follow(alice, bob)
    const gone = await post(bob, 'regretted')
    await post(bob, 'kept')
    await eventually(async () => {
      expect(texts(await timeline(alice))).toEqual(['kept', 'regretted'])
    })
    await remove(bob, gone)
    await world().stands('a deleted post', async () => {
      expect(texts(await timeline(alice))).toEqual(['kept'])
      expect(texts(await authorFeed(alice, bob))).toEqual(['kept'])
      await expect(postView(alice, gone)).rejects.toThrow('was not found')
    })
  })

  test('many writes in one commit have the same effect as separate ones', async () => {
    const [alice, bob] = await people(world(), 'alice', 'bob')
    await follow(alice, bob)
    const times = Array.from({ length: 20 }, (_, i) => new Date(Date.now() - 60_000 + i * 1000))
    await bob.agent.com.atproto.repo.applyWrites({
      repo: bob.did,
      writes: times.map((time, i) => ({
        $type: 'com.atproto.repo.applyWrites#create',
        collection: 'app.bsky.feed.post',
        value: {
          $type: 'app.bsky.feed.post',
          text: `in one commit ${i}`,
          createdAt: time.toISOString(),
        },
      })),
    })
    const expected = times.map((_, i) => `in one commit ${i}`).reverse()
    await world().stands('one commit of many', async () => {
      expect(texts(await timeline(alice))).toEqual(expected)
    })
  })
}
