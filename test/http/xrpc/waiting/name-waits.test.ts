// Accounts known only from the stream: the first time a member sees one, it is looked up, and the request
// waits a moment for its name. The backfill room's changes to rows are made by hand.

import { afterEach, expect, test } from 'vitest'
import { eventually } from '../../../support/eventually.ts'
import { didOf } from '../../../support/records.ts'
import {
  createServingWorld,
  type Query,
  type ServingOptions,
  type ServingWorld,
} from '../../../support/serving-world.ts'

const [alice, bob, carol] = ['alice', 'bob', 'carol'].map(didOf) as [string, string, string]
type View = { did: string; handle: string; displayName?: string; associated?: object }
type Posts = { posts: { author: View }[] }

let world: ServingWorld | undefined
afterEach(() => world?.dispose())

/** Long enough for a loaded machine. */
const MAX_WAIT_MS = 20_000

function start(options: ServingOptions = {}) {
  const w = createServingWorld({
    scope: 'network',
    members: ['alice'],
    queuesFetchRequests: true,
    namesMaxWaitMs: MAX_WAIT_MS,
    ...options,
  })
  world = w
  w.profile(bob, { displayName: 'Bob' })
  w.handle(alice, 'alice.test')
  const post = w.post(bob, 'hello')
  const looked = () => w.sent.flatMap((item) => (item.kind === 'fetch-requested' ? item.dids : []))
  /** Does what the end of an `identity` job does. */
  const finish = (did: string, kinds = ['identity', 'profile']) => {
    for (const kind of kinds) {
      w.world.db.prepare('DELETE FROM jobs WHERE kind = ? AND subject = ?').run(kind, w.uid(did))
    }
  }
  const jobs = (did: string) =>
    w.world.db
      .prepare<[number], { kind: string; priority: number }>(
        'SELECT kind, priority FROM jobs WHERE subject = ?',
      )
      .all(w.uid(did))
  return { w, post, looked, finish, jobs }
}

const asking = (requested: () => string[], did: string) =>
  eventually(() => expect(requested()).toContain(did))

const pages: [string, (uri: string) => Query][] = [
  ['app.bsky.feed.getPosts', (uri) => ({ uris: [uri] })],
  ['app.bsky.feed.getAuthorFeed', () => ({ actor: bob })],
  ['app.bsky.feed.getPostThread', (uri) => ({ uri })],
  ['app.bsky.unspecced.getPostThreadV2', (uri) => ({ anchor: uri })],
]

test.each(pages)('%s waits for the name of an author not looked up yet', async (nsid, query) => {
  const { w, post, looked, jobs } = start()
  const page = w.get(nsid, query(post.uri), alice)
  await asking(looked, bob)
  expect(jobs(bob)).toContainEqual({ kind: 'identity', priority: 10 })
  w.handle(bob, 'bob.test')
  expect(JSON.stringify(await page)).toContain('"handle":"bob.test"')
})

test('getProfile also waits where there is a profile without a name', async () => {
  const { w, looked, finish } = start()
  const page = w.get<View>('app.bsky.actor.getProfile', { actor: bob }, alice)
  await asking(looked, bob)
  w.handle(bob, 'bob.test')
  finish(bob)
  expect(await page).toMatchObject({ handle: 'bob.test', displayName: 'Bob' })
})

test('an unverified name is not shown, and not waited for again', async () => {
  const { w, post, looked, finish } = start()
  const read = () => w.get<Posts>('app.bsky.feed.getPosts', { uris: [post.uri] }, alice)
  const page = read()
  await asking(looked, bob)
  w.world.db
    .prepare('UPDATE actors SET handle = ?, identity_checked_at = 1 WHERE uid = ?')
    .run('liar.test', w.uid(bob))
  finish(bob)
  expect((await page).posts[0]?.author.handle).toBe('handle.invalid')
  expect((await read()).posts[0]?.author.handle).toBe('handle.invalid')
})

test('a failed lookup ends the wait, and is not repeated for a while', async () => {
  const { w, post, looked, finish } = start()
  const read = () => w.get<Posts>('app.bsky.feed.getPosts', { uris: [post.uri] }, alice)
  const page = read()
  await asking(looked, bob)
  finish(bob)
  expect((await page).posts[0]?.author.handle).toBe('handle.invalid')
  await read()
  expect(looked().filter((did) => did === bob)).toHaveLength(1)
})

test('a visitor neither waits nor causes lookups', async () => {
  const { w, post, looked } = start()
  const { posts } = await w.get<Posts>('app.bsky.feed.getPosts', { uris: [post.uri] })
  expect(posts[0]?.author.handle).toBe('handle.invalid')
  expect(looked()).toEqual([])
})

test('the profile of an account known only by reference is waited for', async () => {
  const { w, looked, finish } = start()
  w.follow(bob, carol)
  w.handle(carol, 'carol.test')
  const page = w.get<View>('app.bsky.actor.getProfile', { actor: carol }, alice)
  await asking(looked, carol)
  const record = { $type: 'app.bsky.actor.profile', displayName: 'Carol' }
  w.fetched({ uri: `at://${carol}/app.bsky.actor.profile/self`, record })
  finish(carol)
  expect(await page).toMatchObject({ handle: 'carol.test', displayName: 'Carol' })
})

test('an account’s declarations are requested when its profile is viewed', async () => {
  const { w, looked, jobs } = start()
  w.handle(bob, 'bob.test')
  const read = () => w.get<View>('app.bsky.actor.getProfile', { actor: bob }, alice)
  await read()
  await asking(looked, bob)
  expect(jobs(bob).map(({ kind }) => kind)).toContain('records')
  w.create(bob, 'chat.bsky.actor.declaration', { allowIncoming: 'all' }, 'self')
  expect((await read()).associated).toMatchObject({ chat: { allowIncoming: 'all' } })
})
