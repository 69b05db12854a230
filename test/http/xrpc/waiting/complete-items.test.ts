// A newcomer's page never presents data as missing only because it is not fetched yet. The backfill room's
// changes to rows are made by hand.

import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import {
  COLD_START,
  MILESTONES,
  putBackfill,
} from '../../../../src/data/store/fetching/backfills.ts'
import { setActorIdentity } from '../../../../src/data/store/records/actors.ts'
import { eventually } from '../../../support/eventually.ts'
import { didOf } from '../../../support/records.ts'
import { createServingWorld, type ServingWorld } from '../../../support/serving-world.ts'
import type { RecordId } from '../../../support/world.ts'

const NSID = 'app.bsky.feed.getTimeline'

type View = { handle: string; displayName?: string }
type Item = { post: { uri: string; author: View; embed?: { record?: { $type: string } } } }
type Page = { feed: Item[]; cursor?: string }

const [alice, bob, carol] = ['alice', 'bob', 'carol'].map(didOf) as [string, string, string]

let world: ServingWorld
afterEach(() => world.dispose())

/** Creates a newcomer whose posts are all stored. */
function start(...milestones: string[]): ServingWorld {
  world = createServingWorld({
    members: ['alice'],
    queuesFetchRequests: true,
    startAt: Date.now(),
    firstPageMaxWaitMs: 60_000,
  })
  world.follow(alice, bob)
  world.handle(bob, 'bob.test')
  world.profile(bob)
  for (const value of [MILESTONES.posts, ...milestones]) {
    putBackfill(world.db, world.uid(alice), value, { rev: null, finished_at: 1 })
  }
  return world
}

const read = () => world.get<Page>(NSID, {}, alice)

/** A post by carol that is not stored yet. */
function fallback(): { quoted: RecordId; arrive: () => void } {
  let quoted: RecordId | undefined
  const events = world.hold(() => {
    quoted = world.post(carol, 'quoted')
  })
  const arrive = () => {
    world.apply(events)
    world.handle(carol, 'carol.test')
    for (const kind of ['post', 'identity', 'profile']) end(kind)
  }
  return { quoted: quoted!, arrive }
}

function jobs(kind: string): number[] {
  return world.db
    .prepare<[string], number>('SELECT subject FROM jobs WHERE kind = ?')
    .pluck()
    .all(kind)
}

/** Does what the end of a job does. */
function end(kind: string): void {
  world.db.prepare('DELETE FROM jobs WHERE kind = ?').run(kind)
}

/** Does what a job's first failure does. */
function tryAgain(kind: string): void {
  world.db.prepare('UPDATE jobs SET attempts = 1 WHERE kind = ?').run(kind)
}

/** Does what a job's repeated failure does. */
function fail(kind: string): void {
  world.db.prepare('UPDATE jobs SET attempts = 3 WHERE kind = ?').run(kind)
}

const requested = (kind: string) => eventually(() => expect(jobs(kind)).not.toEqual([]))

const embedded = ({ feed }: Page) => feed.map(({ post }) => post.embed?.record?.$type)

test('waits for a quoted post', async () => {
  const w = start()
  const { quoted, arrive } = fallback()
  w.post(bob, { quote: quoted })
  for (const kind of ['identity', 'profile', 'records']) end(kind)
  const page = read()
  await requested('post')
  arrive()
  expect(embedded(await page)).toEqual(['app.bsky.embed.record#viewRecord'])
})

test('requests what the first items lack while the page waits for the others', async () => {
  const w = start()
  w.db.prepare('DELETE FROM backfills').run()
  const { quoted, arrive } = fallback()
  w.post(bob, { quote: quoted })
  for (const kind of ['post', 'identity', 'profile']) end(kind)
  const page = read()
  await requested('post')
  arrive()
  putBackfill(w.db, w.uid(alice), MILESTONES.posts, { rev: null, finished_at: 1 })
  expect(embedded(await page)).toEqual(['app.bsky.embed.record#viewRecord'])
})

test('also waits for a viewer unknown at the time of the request', async () => {
  world = createServingWorld({
    queuesFetchRequests: true,
    startAt: Date.now(),
    firstPageMaxWaitMs: 60_000,
  })
  const { quoted, arrive } = fallback()
  expect(world.uid(alice)).toBe(0)
  const page = read()
  await sleep(200)
  world.member(alice)
  world.follow(alice, bob)
  world.handle(bob, 'bob.test')
  world.post(bob, { quote: quoted })
  putBackfill(world.db, world.uid(alice), MILESTONES.posts, { rev: null, finished_at: 1 })
  for (const kind of ['identity', 'profile', 'records']) end(kind)
  // Past the wait for the cold start, which ends at once.
  await sleep(1_000)
  arrive()
  expect(embedded(await page)).toEqual(['app.bsky.embed.record#viewRecord'])
})

test('leaves out a post until the post it quotes is fetched', async () => {
  const w = start()
  const { quoted, arrive } = fallback()
  const oldest = w.post(bob, 'the oldest')
  const plain = w.post(bob, 'plain')
  const quoting = w.post(bob, { quote: quoted })
  const first = await world.get<Page>(NSID, { limit: 1 }, alice)
  expect(first.feed.map(({ post }) => post.uri)).toEqual([plain.uri])
  arrive()
  expect((await read()).feed.map(({ post }) => post.uri)).toEqual([
    quoting.uri,
    plain.uri,
    oldest.uri,
  ])
})

test('shows an item as it is if fetching failed', async () => {
  const w = start()
  w.post(bob, { quote: fallback().quoted })
  for (const kind of ['post', 'identity', 'profile', 'records']) fail(kind)
  expect(embedded(await read())).toEqual(['app.bsky.embed.record#viewNotFound'])
})

test('waits for a name not looked up yet', async () => {
  const w = start()
  const dan = didOf('dan')
  w.follow(alice, dan)
  w.post(dan)
  const page = read()
  await requested('identity')
  w.handle(dan, 'dan.test')
  for (const kind of ['identity', 'profile']) end(kind)
  expect((await page).feed.map(({ post }) => post.author.handle)).toEqual(['dan.test'])
})

test('waits for a name whose lookup has failed so far, until it is hopeless', async () => {
  const w = start()
  const dan = didOf('dan')
  w.follow(alice, dan)
  w.profile(dan)
  w.post(dan)
  const unclear = { handle: 'dan.test', handleValid: false, pds: null, checkedAt: 1 }
  w.run(({ db }) => setActorIdentity(db, w.uid(dan), unclear))
  tryAgain('identity')
  const page = read()
  await sleep(200)
  w.handle(dan, 'dan.test')
  end('identity')
  expect((await page).feed.map(({ post }) => post.author.handle)).toEqual(['dan.test'])
  w.run(({ db }) => setActorIdentity(db, w.uid(dan), unclear))
  fail('identity')
  expect((await read()).feed.map(({ post }) => post.author.handle)).toEqual(['handle.invalid'])
})

test('waits for a profile until fetching it first fails', async () => {
  const w = start()
  const dan = didOf('dan')
  w.follow(alice, dan)
  w.handle(dan, 'dan.test')
  w.post(dan)
  const page = read()
  await requested('profile')
  await sleep(200)
  w.profile(dan, { displayName: 'Dan' })
  end('profile')
  expect((await page).feed.map(({ post }) => post.author.displayName)).toEqual(['Dan'])
  const eve = didOf('eve')
  w.follow(alice, eve)
  w.handle(eve, 'eve.test')
  const hers = w.post(eve)
  tryAgain('profile')
  expect((await read()).feed.map(({ post }) => post.uri)).toContain(hers.uri)
})

test('a partly complete page ends above the item being fetched, which is on the next page', async () => {
  const w = start()
  const { quoted, arrive } = fallback()
  for (let i = 0; i < 3; i++) w.post(bob, `old ${i}`)
  const below = w.post(bob, 'below')
  const quoting = w.post(bob, { quote: quoted })
  const above = ['one', 'two', 'three'].map((text) => w.post(bob, text).uri).reverse()
  const uris = ({ feed }: Page) => feed.map(({ post }) => post.uri)
  const first = await world.get<Page>(NSID, { limit: 4 }, alice)
  expect(uris(first)).toEqual(above)
  arrive()
  const next = await world.get<Page>(NSID, { limit: 2, cursor: first.cursor }, alice)
  expect(uris(next)).toEqual([quoting.uri, below.uri])
})

test('leaves nothing out after the cold start', async () => {
  const w = start(COLD_START)
  const quoting = w.post(bob, { quote: fallback().quoted })
  expect((await read()).feed.map(({ post }) => post.uri)).toEqual([quoting.uri])
})
