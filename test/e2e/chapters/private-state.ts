// The state that members keep with their AppView, and lists: read and written through the PDS, with every
// answer decoded by the app's own strict decoder.

import { app } from '@bsky/sdk/lexicons'
import { expect, test } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { type Account, create, follow, post, type Ref, remove, repost } from '../support/account.ts'
import { postView, profile, texts, timeline } from '../support/reading.ts'
import { people, type World } from '../support/world.ts'

export function privateStateChapter(world: () => World): void {
  test('only the member sees their bookmarks, with the current state of each post', async () => {
    const [alice, bob] = await people(world(), 'alice', 'bob')
    const [stored, gone, undone] = [
      await post(bob, 'kept'),
      await post(bob, 'gone'),
      await post(bob, 'undone'),
    ]
    await eventually(async () => expect((await postView(alice, undone)).uri).toBe(undone.uri))
    for (const ref of [stored, gone, undone]) {
      await alice.client().call(app.bsky.bookmark.createBookmark, ref)
    }
    await alice.client().call(app.bsky.bookmark.deleteBookmark, { uri: undone.uri })
    await remove(bob, gone)
    await world().stands('bookmarks', async () => {
      const { bookmarks } = await alice.client().call(app.bsky.bookmark.getBookmarks, { limit: 9 })
      expect(bookmarks.map(({ subject, item }) => [subject.uri, item.$type])).toEqual([
        [gone.uri, 'app.bsky.feed.defs#notFoundPost'],
        [stored.uri, 'app.bsky.feed.defs#postView'],
      ])
      expect((await postView(alice, stored)).viewer?.bookmarked).toBe(true)
      const seenByBob = await postView(bob, stored)
      expect([seenByBob.viewer?.bookmarked, seenByBob.bookmarkCount]).toEqual([false, 1])
    })
  })

  test('drafts are written, changed and deleted', async () => {
    const [alice] = await people(world(), 'alice')
    const client = alice.client()
    const draftOf = (text: string) => ({ posts: [{ text }] })
    const { id } = await client.call(app.bsky.draft.createDraft, { draft: draftOf('first') })
    const other = await client.call(app.bsky.draft.createDraft, { draft: draftOf('second') })
    await client.call(app.bsky.draft.updateDraft, { draft: { id, draft: draftOf('better') } })
    await client.call(app.bsky.draft.deleteDraft, { id: other.id })
    await world().stands('drafts', async () => {
      const { drafts } = await alice.client().call(app.bsky.draft.getDrafts, { limit: 5 })
      expect(drafts.map(({ draft }) => draft.posts[0]?.text)).toEqual(['better'])
    })
  })

  test('a list has members and a feed, mutes its members, and says so', async () => {
    const [alice, bob, carol, dan] = await people(world(), 'alice', 'bob', 'carol', 'dan')
    await follow(alice, bob)
    await follow(alice, carol)
    const list = await makeList(dan, 'people', 'curatelist', [bob, carol])
    const mutelist = await makeList(alice, 'bores', 'modlist', [carol])
    await post(bob, 'by bob')
    await repost(bob, await post(carol, 'by carol'))
    const client = alice.client()
    await eventually(async () => {
      expect(await membersOf(alice, list)).toEqual([carol.did, bob.did])
      expect(await listFeed(alice, list)).toEqual(['by carol', 'by bob'])
      expect(await membersOf(alice, mutelist)).toEqual([carol.did])
    })
    await client.call(app.bsky.graph.muteActorList, { list: mutelist.uri })
    await world().stands('a muted list', async () => {
      expect(texts(await timeline(alice))).toEqual(['by bob'])
      expect(await listFeed(alice, list)).toEqual(['by bob'])
      const { viewer } = await profile(alice, carol)
      expect([viewer?.muted, viewer?.mutedByList?.uri]).toEqual([true, mutelist.uri])
      const { lists } = await alice.client().call(app.bsky.graph.getListMutes, { limit: 5 })
      expect(lists.map(({ uri }) => uri)).toEqual([mutelist.uri])
      const own = await alice.client().call(app.bsky.graph.getLists, { actor: alice.did })
      expect(own.lists.map(({ name }) => name)).toEqual(['bores'])
      const { listsWithMembership } = await alice
        .client()
        .call(app.bsky.graph.getListsWithMembership, { actor: carol.did })
      expect(
        listsWithMembership.map((listWithMembership) => listWithMembership.listItem?.subject.did),
      ).toEqual([carol.did])
    })
  })

  test('an account’s reposts or quote posts alone can be muted', async () => {
    const [alice, bob, carol] = await people(world(), 'alice', 'bob', 'carol')
    await follow(alice, bob)
    const other = await post(carol, 'by carol')
    await post(bob, 'plain')
    await post(bob, 'quoting', { embed: { $type: 'app.bsky.embed.record', record: other } })
    await repost(bob, other)
    const mute = { actor: bob.did, onlyQuoteposts: true }
    await eventually(async () => expect(await timeline(alice)).toHaveLength(3))
    const client = alice.client()
    await client.call(app.bsky.graph.muteActor, { actor: bob.did, onlyReposts: true })
    await eventually(async () => expect(texts(await timeline(alice))).toEqual(['quoting', 'plain']))
    await client.call(app.bsky.graph.muteActor, mute)
    await world().stands('a mute of quote posts', async () => {
      expect((await timeline(alice)).map(({ post: { uri } }) => uri)).toContain(other.uri)
      expect(await timeline(alice)).toHaveLength(2)
      const { viewer } = await profile(alice, bob)
      expect([viewer?.muted, viewer?.mutedOnlyQuoteposts]).toEqual([false, true])
    })
  })

  test('the requests that clients make at startup are answered', async () => {
    const [alice] = await people(world(), 'alice')
    const client = alice.client()
    const { regions } = await client.call(app.bsky.ageassurance.getConfig, {})
    const { state } = await client.call(app.bsky.ageassurance.getState, { countryCode: 'GB' })
    expect([regions, state.access]).toEqual([[], 'unknown'])
  })
}

async function makeList(
  by: Account,
  name: string,
  purpose: string,
  members: Account[],
): Promise<Ref> {
  const list = await create(by, 'app.bsky.graph.list', {
    name,
    purpose: `app.bsky.graph.defs#${purpose}`,
  })
  for (const { did } of members) {
    await create(by, 'app.bsky.graph.listitem', { list: list.uri, subject: did })
  }
  return list
}

async function membersOf(reader: Account, list: Ref): Promise<string[]> {
  const { items } = await reader.client().call(app.bsky.graph.getList, { list: list.uri })
  return items.map(({ subject }) => subject.did)
}

async function listFeed(reader: Account, list: Ref): Promise<string[]> {
  const params = { list: list.uri, limit: 20 }
  return texts((await reader.client().call(app.bsky.feed.getListFeed, params)).feed)
}
