// A stranger's page without a public AppView: behind the server are a real directory, a real PDS and the real
// backfill room, and the stream delivered nothing of the stranger.

import { afterEach, expect, test } from 'vitest'
import type { PdsAccount } from '../../../support/pds-double.ts'
import { didOf } from '../../../support/records.ts'
import {
  passTime,
  type StrangersWorld,
  startStrangersWorld,
  write,
} from '../../../support/strangers-world.ts'

const NSID = 'app.bsky.feed.getAuthorFeed'
const POST = 'app.bsky.feed.post'

type Embed = { record?: { $type: string } }
type Item = {
  post: { uri: string; author: { displayName?: string }; embed?: Embed }
  reason?: { by: { displayName?: string } }
}
type Feed = { feed: Item[]; cursor?: string }

const alice = didOf('alice')
let world: StrangersWorld | undefined
afterEach(() => world?.stop())

async function start() {
  world = await startStrangersWorld()
  const { w, pds, person, listings } = world
  const read = (author: PdsAccount, more = {}) =>
    w.ask<Feed>(NSID, { actor: author.did, ...more }, alice)
  return { w, pds, person, listings, read }
}

const uris = ({ feed }: Feed) => feed.map(({ post }) => post.uri)

test('is fetched when a member opens it, newest first, with name and quoted posts', async () => {
  const { person, read } = await start()
  const [eve, mallory] = [await person('eve'), await person('mallory')]
  const quoted = write(mallory, POST, { text: 'quoted' })
  const embed = { $type: 'app.bsky.embed.record', record: quoted }
  const posts = [write(eve, POST, { text: 'one' }), write(eve, POST, { text: 'two', embed })]
  const { status, body } = await read(eve)
  expect(status).toBe(200)
  expect(uris(body)).toEqual(posts.map(({ uri }) => uri).reverse())
  expect(body.feed[0]?.post.embed?.record?.$type).toBe('app.bsky.embed.record#viewRecord')
  expect(body.feed[0]?.post.author.displayName).toBe('eve')
})

test('concurrent requests cost one listing, and the next page none', async () => {
  const { w, person, read, listings } = await start()
  const eve = await person('eve')
  const posts = Array.from({ length: 60 }, (_, i) => write(eve, POST, { text: `post ${i}` }))
  const pages = await Promise.all(
    ['posts_with_replies', 'posts_no_replies', 'posts_and_author_threads'].map((filter) =>
      read(eve, { filter, limit: 30 }),
    ),
  )
  const newest = posts.map(({ uri }) => uri).reverse()
  for (const { body } of pages) expect(uris(body)).toEqual(newest.slice(0, 30))
  const { body: next } = await read(eve, { limit: 20, cursor: pages[0]!.body.cursor })
  expect(uris(next)).toEqual(newest.slice(30, 50))
  expect(listings).toEqual([eve.did])
  const complete = w.db
    .prepare("SELECT 1 FROM backfills WHERE uid = ? AND what = 'feed'")
    .get(w.uid(eve.did))
  expect(complete).toBeUndefined()
})

/** Reads page after page, to the end. */
async function readAll(read: (more: object) => Promise<{ body: Feed }>, limit: number) {
  const visible: string[] = []
  let cursor: string | undefined
  let pages = 0
  do {
    const { body } = await read({ limit, cursor })
    visible.push(...uris(body))
    cursor = body.cursor
    pages++
  } while (cursor !== undefined && pages < 50)
  return { shown: visible, pages }
}

test('continues beyond the newest fifty, one listing per hundred, until there is no cursor', async () => {
  const { person, read, listings } = await start()
  const eve = await person('eve')
  const posts = Array.from({ length: 260 }, (_, i) => write(eve, POST, { text: `post ${i}` }))
  const { shown: visible, pages } = await readAll((more) => read(eve, more), 30)
  expect(visible).toEqual(posts.map(({ uri }) => uri).reverse())
  expect(pages).toBeLessThanOrEqual(12)
  // The newest fifty, two pages of a hundred, one of ten, and one that is empty: a server with a
  // lower limit than ours also sends fewer than we asked for.
  expect(listings).toHaveLength(5)
})

test('shows reposts in their place, with the post’s author', async () => {
  const { person, read } = await start()
  const [eve, mallory] = [await person('eve'), await person('mallory')]
  const reposted = write(mallory, POST, { text: 'reposted' })
  const before = write(eve, POST, { text: 'before' })
  write(eve, 'app.bsky.feed.repost', { subject: reposted })
  const after = write(eve, POST, { text: 'after' })
  const { body } = await read(eve)
  expect(uris(body)).toEqual([after, reposted, before].map(({ uri }) => uri))
  expect(body.feed[1]?.post.author.displayName).toBe('mallory')
  expect(body.feed[1]?.reason).toMatchObject({ by: { displayName: 'eve' } })
})

test('items older than everything read of posts and reposts wait for their page', async () => {
  const { person, read } = await start()
  const [eve, mallory] = [await person('eve'), await person('mallory')]
  const reposted = write(mallory, POST, { text: 'reposted' })
  const expected = [write(eve, POST, { text: 'first' }).uri]
  for (let i = 0; i < 3; i++) {
    write(eve, 'app.bsky.feed.repost', { subject: reposted })
    expected.unshift(reposted.uri)
    for (let k = 0; k < 40; k++) expected.unshift(write(eve, POST, { text: `${i} ${k}` }).uri)
  }
  const { shown: visible } = await readAll((more) => read(eve, more), 50)
  expect(visible).toEqual(expected)
})

test('ends with the stored posts where the PDS fails further down', async () => {
  const { person, read, pds } = await start()
  const eve = await person('eve')
  const posts = Array.from({ length: 80 }, (_, i) => write(eve, POST, { text: `post ${i}` }))
  const { body } = await read(eve, { limit: 40 })
  pds.misbehave({ method: 'listRecords', how: { status: 500 } })
  const { shown: visible } = await readAll(
    (more) => read(eve, { cursor: body.cursor, ...clean(more) }),
    40,
  )
  const newest = posts.map(({ uri }) => uri).reverse()
  expect([...uris(body), ...visible]).toEqual(newest.slice(0, 50))
})

/** Drops undefined fields, which would override others. */
const clean = (some: object) =>
  Object.fromEntries(Object.entries(some).filter(([, value]) => value !== undefined))

test('loses deleted posts when it is read again', async () => {
  const { w, person, read, listings } = await start()
  const eve = await person('eve')
  const stored = write(eve, POST, { text: 'kept' })
  const gone = write(eve, POST, { text: 'gone' })
  expect(uris((await read(eve)).body)).toEqual([gone.uri, stored.uri])
  eve.remove(POST, gone.uri.split('/').at(-1)!, passTime())
  // This member's recent request is not repeated, but another server thread may send it.
  w.world.request({
    id: 1,
    kind: 'fetch-requested',
    did: alice,
    dids: [],
    uris: [`at://${eve.did}/${POST}`],
  })
  expect(uris((await read(eve)).body)).toEqual([stored.uri])
  expect(listings).toEqual([eve.did, eve.did])
})

test('is not fetched for visitors, nor for accounts that are kept anyway', async () => {
  const { w, person, read, listings } = await start()
  const [eve, bob] = [await person('eve'), await person('bob')]
  for (const account of [eve, bob]) write(account, POST, { text: 'hello' })
  w.follow(alice, bob.did)
  w.db.prepare('DELETE FROM jobs').run()
  const visited = await w.ask(NSID, { actor: eve.did })
  expect(visited).toMatchObject({ status: 503, body: { error: 'NotKnownHere' } })
  await read(bob)
  w.world.request({
    id: 1,
    kind: 'fetch-requested',
    did: alice,
    dids: [],
    uris: [`at://${bob.did}/${POST}`],
  })
  expect(w.db.prepare("SELECT 1 FROM jobs WHERE kind = 'page'").get()).toBeUndefined()
  expect(listings).toEqual([])
})

test('a stranger’s list is fetched with its members; a missing one is requested once', async () => {
  const { w, pds, person } = await start()
  const [eve, mallory] = [await person('eve'), await person('mallory')]
  const name = { name: 'people', purpose: 'app.bsky.graph.defs#curatelist' }
  const { uri: list } = write(eve, 'app.bsky.graph.list', name)
  for (const { did: subject } of [eve, mallory])
    write(eve, 'app.bsky.graph.listitem', { list, subject })
  type List = { list: { name: string }; items: { subject: { did: string } }[] }
  const { body } = await w.ask<List>('app.bsky.graph.getList', { list }, alice)
  expect(body.list.name).toBe('people')
  expect(body.items.map(({ subject }) => subject.did)).toEqual([mallory.did, eve.did])
  let calls = 0
  pds.onRequest(() => void calls++)
  const nowhere = { list: `at://${eve.did}/app.bsky.graph.list/3kabcdefghi2a` }
  expect((await w.ask('app.bsky.graph.getList', nowhere, alice)).status).toBe(400)
  const once = calls
  for (let i = 0; i < 5; i++) await w.ask('app.bsky.graph.getList', nowhere, alice)
  expect(calls).toBe(once)
})

test('is refused for now where the PDS fails: an empty page would read like a fact', async () => {
  const { person, read, pds } = await start()
  const eve = await person('eve')
  write(eve, POST, { text: 'hello' })
  pds.misbehave({ method: 'listRecords', how: { status: 500 } })
  expect(await read(eve)).toMatchObject({ status: 503, body: { error: 'NotKnownHere' } })
})
