// Bookmarks over random histories, against a list of each member's bookmarks.

import { afterEach, expect, test } from 'vitest'
import { createRandom } from '../../../../../support/random.ts'
import { didOf } from '../../../../../support/records.ts'
import { testSeed } from '../../../../../support/seed.ts'
import {
  allPages,
  createServingWorld,
  type ServingWorld,
} from '../../../../../support/serving-world.ts'

type Item = { $type: string; uri: string; bookmarkCount?: number; viewer?: { bookmarked: boolean } }
type Bookmark = { createdAt: string; subject: { uri: string; cid: string }; item: Item }
type Page = { bookmarks: Bookmark[]; cursor?: string }

const NS = 'app.bsky.bookmark'
const DEFS = 'app.bsky.feed.defs#'
const [alice, bob, carol] = ['alice', 'bob', 'carol'].map(didOf) as [string, string, string]

let world: ServingWorld | undefined
afterEach(() => world?.dispose())

function start(options: Parameters<typeof createServingWorld>[0] = {}): ServingWorld {
  world = createServingWorld({ scope: 'network', members: ['alice', 'bob'], ...options })
  for (const did of [alice, bob, carol]) world.profile(did, { displayName: did.slice(-4) })
  return world
}

test('lists bookmarks latest first, once each, counted, and only to their owner', async () => {
  const w = start()
  const random = createRandom(testSeed('bookmarks'))
  const posts = Array.from({ length: 12 }, () => w.post(carol))
  const model = new Map<string, string[]>([alice, bob].map((did) => [did, []]))
  const check = async () => {
    for (const did of [alice, bob]) {
      const limit = 1 + random.below(5)
      const read = (cursor?: string) => w.get<Page>(`${NS}.getBookmarks`, { limit, cursor }, did)
      const visible = await allPages(read, (page) => page.bookmarks)
      const uris = model.get(did)!
      expect(visible.map(({ subject }) => subject.uri)).toEqual(uris.toReversed())
      const query = { uris: posts.map(({ uri }) => uri) }
      const views = await w.get<{ posts: Item[] }>('app.bsky.feed.getPosts', query, did)
      for (const { uri, bookmarkCount, viewer } of views.posts) {
        const count = [...model.values()].filter((value) => value.includes(uri)).length
        expect([bookmarkCount, viewer!.bookmarked]).toEqual([count, uris.includes(uri)])
      }
    }
  }
  for (let i = 0; i < 60; i++) {
    const [did, post] = [random.pick([alice, bob]), random.pick(posts)]
    const before = model.get(did)!
    const isOn = random.chance(0.6)
    w.tick()
    const { status } = await w.tell(`${NS}.${isOn ? 'create' : 'delete'}Bookmark`, post, did)
    expect(status).toBe(200)
    const without = before.filter((uri) => uri !== post.uri)
    if (!isOn) model.set(did, without)
    else if (!before.includes(post.uri)) before.push(post.uri)
    if (i % 10 === 9) await check()
  }
})

test('marks a bookmarked post as gone or blocked; shows one by a muted author', async () => {
  const w = start()
  const [gone, blocked, muted] = [w.post(alice), w.post(carol), w.post(bob)]
  const unknown = { uri: `at://${carol}/app.bsky.feed.post/3kaaaaaaaaaaa`, cid: gone.cid }
  for (const post of [gone, blocked, muted, unknown]) {
    w.tick()
    await w.tell(`${NS}.createBookmark`, post, alice)
  }
  w.delete(gone)
  w.block(carol, alice)
  w.mute(alice, bob)
  const { bookmarks } = await w.get<Page>(`${NS}.getBookmarks`, {}, alice)
  expect(bookmarks.map(({ subject, item }) => [subject, item.$type, item.uri])).toEqual([
    [unknown, `${DEFS}notFoundPost`, unknown.uri],
    [muted, `${DEFS}postView`, muted.uri],
    [blocked, `${DEFS}blockedPost`, blocked.uri],
    [gone, `${DEFS}notFoundPost`, gone.uri],
  ])
  await expect
    .poll(() => w.sent.flatMap((item) => (item.kind === 'fetch-requested' ? item.uris : [])))
    .toContain(unknown.uri)
})

test('only posts of existing accounts can be bookmarked', async () => {
  const w = start({ absent: [didOf('nobody')] })
  const { cid } = w.post(bob)
  const tell = async (uri: string) => {
    const { status, body } = await w.tell(`${NS}.createBookmark`, { uri, cid }, alice)
    return [status, (body as { error?: string } | undefined)?.error]
  }
  const list = `at://${bob}/app.bsky.graph.list/3kaaaaaaaaaaa`
  expect(await tell(list)).toEqual([400, 'UnsupportedCollection'])
  expect(await tell(`at://${didOf('nobody')}/app.bsky.feed.post/3kaaaaaaaaaaa`)).toEqual([
    400,
    'InvalidRequest',
  ])
  expect(await tell(`at://${bob}`)).toEqual([400, 'InvalidRequest'])
  const { status } = await w.ask(`${NS}.getBookmarks`, { cursor: 'rubbish' }, alice)
  expect(status).toBe(400)
  expect((await w.ask(`${NS}.getBookmarks`)).status).toBe(401)
})
