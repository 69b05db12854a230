// Blocks, block lists, mutes and accounts that leave.

import { app } from '@bsky/sdk/lexicons'
import { expect, test } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { block, create, follow, post, remove, reply, repost } from '../support/account.ts'
import { authorFeed, postView, profile, texts, timeline } from '../support/reading.ts'
import { people, type World } from '../support/world.ts'

export function separationChapter(world: () => World): void {
  test('a block in either direction hides both from each other until it is lifted', async () => {
    const [alice, bob] = await people(world(), 'alice', 'bob')
    await follow(alice, bob)
    await follow(bob, alice)
    await post(alice, 'by alice')
    await post(bob, 'by bob')
    const both = ['by bob', 'by alice']
    await eventually(async () => {
      expect(texts(await timeline(alice))).toEqual(both)
      expect(texts(await timeline(bob))).toEqual(both)
    })
    const wall = await block(alice, bob)
    await eventually(async () => {
      expect(texts(await timeline(alice))).toEqual(['by alice'])
      expect(texts(await timeline(bob))).toEqual(['by bob'])
      expect((await profile(alice, bob)).viewer?.blocking).toBe(wall.uri)
      expect((await profile(bob, alice)).viewer?.blockedBy).toBe(true)
      await expect(authorFeed(alice, bob)).rejects.toMatchObject({ error: 'BlockedActor' })
      await expect(authorFeed(bob, alice)).rejects.toMatchObject({ error: 'BlockedByActor' })
    })
    await remove(alice, wall)
    await world().stands('a lifted block', async () => {
      expect(texts(await timeline(alice))).toEqual(both)
      expect(texts(await timeline(bob))).toEqual(both)
    })
  })

  test('a blocked account’s posts are not shown through reposts and quotes either', async () => {
    const [alice, bob, carol] = await people(world(), 'alice', 'bob', 'carol')
    await follow(alice, bob)
    const unwanted = await post(carol, 'unwanted')
    await repost(bob, unwanted)
    await reply(bob, unwanted, unwanted, 'a reply to it')
    await post(bob, 'a quote of it', {
      embed: { $type: 'app.bsky.embed.record', record: unwanted },
    })
    await eventually(async () => {
      expect(await timeline(alice)).toHaveLength(3)
    })
    await block(alice, carol)
    await world().stands('a blocked author', async () => {
      const feed = await timeline(alice)
      expect(texts(feed)).toEqual(['a quote of it'])
      expect(feed[0]?.post.embed).toMatchObject({
        record: { $type: 'app.bsky.embed.record#viewBlocked', uri: unwanted.uri },
      })
    })
  })

  test('a blocked list hides its members, only while they are on it', async () => {
    const [alice, bob, carol, dan] = await people(world(), 'alice', 'bob', 'carol', 'dan')
    await follow(alice, bob)
    await follow(alice, carol)
    const purpose = 'app.bsky.graph.defs#modlist'
    const list = await create(dan, 'app.bsky.graph.list', { name: 'unpleasant', purpose })
    const items = []
    for (const { did } of [bob, carol]) {
      items.push(await create(dan, 'app.bsky.graph.listitem', { list: list.uri, subject: did }))
    }
    await create(alice, 'app.bsky.graph.listblock', { subject: list.uri })
    await post(bob, 'by bob')
    await post(carol, 'by carol')
    const own = await post(alice, 'own')
    await eventually(async () => {
      expect((await postView(alice, own)).uri).toBe(own.uri)
      expect(texts(await timeline(alice))).toEqual(['own'])
      expect((await profile(alice, bob)).viewer?.blockingByList).toMatchObject({ uri: list.uri })
    })
    await remove(dan, items[1]!)
    await world().stands('a blocked list', async () => {
      expect(texts(await timeline(alice))).toEqual(['own', 'by carol'])
      expect((await profile(alice, carol)).viewer?.blockingByList).toBeUndefined()
    })
  })

  test('a mute hides posts from the timeline until it is undone, for the viewer only', async () => {
    const [alice, bob, carol] = await people(world(), 'alice', 'bob', 'carol')
    for (const { did } of [bob, carol]) {
      await create(alice, 'app.bsky.graph.follow', { subject: did })
    }
    await post(bob, 'by bob')
    await post(carol, 'by carol')
    await alice.client().call(app.bsky.graph.muteActor, { actor: bob.did })
    await alice.client().call(app.bsky.graph.muteActor, { actor: carol.did })
    await eventually(async () => {
      expect(texts(await timeline(alice))).toEqual([])
      expect((await profile(alice, bob)).viewer?.muted).toBe(true)
      expect((await profile(carol, bob)).viewer?.muted).toBe(false)
    })
    await alice.client().call(app.bsky.graph.unmuteActor, { actor: carol.did })
    await world().stands('a mute', async () => {
      expect(texts(await timeline(alice))).toEqual(['by carol'])
    })
  })

  test('a deactivated account is hidden and returns; a deleted one does not', async () => {
    const [alice, bob, carol] = await people(world(), 'alice', 'bob', 'carol')
    await follow(alice, bob)
    await follow(alice, carol)
    await post(bob, 'by bob')
    const doomed = await post(carol, 'by carol')
    await eventually(async () => {
      expect(texts(await timeline(alice))).toEqual(['by carol', 'by bob'])
    })
    await bob.agent.com.atproto.server.deactivateAccount({})
    await world().network.deleteAccount(carol.did)
    await eventually(async () => {
      expect(texts(await timeline(alice))).toEqual([])
      await expect(profile(alice, bob)).rejects.toThrow()
    })
    await bob.agent.com.atproto.server.activateAccount()
    await world().stands('accounts that left', async () => {
      expect(texts(await timeline(alice))).toEqual(['by bob'])
      await expect(postView(alice, doomed)).rejects.toThrow('was not found')
      await expect(profile(alice, carol)).rejects.toThrow()
    })
  })
}
