// A newcomer's page tells nothing as a fact because it was not fetched yet. What the backfill room would do is
// done by hand here, as far as rows go.

import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { setActorIdentity } from '../../../src/data/store/actors.ts'
import { COLD_START, MILESTONES, putBackfill } from '../../../src/data/store/backfills.ts'
import { eventually } from '../../support/eventually.ts'
import { didOf } from '../../support/records.ts'
import { createServingWorld, type ServingWorld } from '../../support/serving-world.ts'
import type { RecordId } from '../../support/world.ts'

const NSID = 'app.bsky.feed.getTimeline'

type View = { handle: string; displayName?: string }
type Item = { post: { uri: string; author: View; embed?: { record?: { $type: string } } } }
type Page = { feed: Item[]; cursor?: string }

const [alice, bob, carol] = ['alice', 'bob', 'carol'].map(didOf) as [string, string, string]

let world: ServingWorld
afterEach(() => world.dispose())

/** A newcomer whose posts are all here. */
function start(...milestones: string[]): ServingWorld {
  world = createServingWorld({
    ...{ members: ['alice'], queuesFetchRequests: true, startAt: Date.now() },
    firstPageMaxWaitMs: 60_000,
  })
  world.follow(alice, bob)
  world.handle(bob, 'bob.test')
  world.profile(bob)
  for (const one of [MILESTONES.posts, ...milestones]) {
    putBackfill(world.db, world.uid(alice), one, { rev: null, finished_at: 1 })
  }
  return world
}

const read = () => world.get<Page>(NSID, {}, alice)

/** A post by carol that is not here. */
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

/** As a job ends. */
function end(kind: string): void {
  world.db.prepare('DELETE FROM jobs WHERE kind = ?').run(kind)
}

/** As it fails once. */
function tryAgain(kind: string): void {
  world.db.prepare('UPDATE jobs SET attempts = 1 WHERE kind = ?').run(kind)
}

/** As it fails time and again. */
function fail(kind: string): void {
  world.db.prepare('UPDATE jobs SET attempts = 3 WHERE kind = ?').run(kind)
}

const asked = (kind: string) => eventually(() => expect(jobs(kind)).not.toEqual([]))

const embedded = ({ feed }: Page) => feed.map(({ post }) => post.embed?.record?.$type)

test('a quoted post is waited for', async () => {
  const w = start()
  const { quoted, arrive } = fallback()
  w.post(bob, { quote: quoted })
  for (const kind of ['identity', 'profile', 'records']) end(kind)
  const page = read()
  await asked('post')
  arrive()
  expect(embedded(await page)).toEqual(['app.bsky.embed.record#viewRecord'])
})

test('also for somebody who was never heard of when they asked', async () => {
  world = createServingWorld({
    ...{ queuesFetchRequests: true, startAt: Date.now() },
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
  // Past the wait for the cold start, which is over at once.
  await sleep(1_000)
  arrive()
  expect(embedded(await page)).toEqual(['app.bsky.embed.record#viewRecord'])
})

test('while it is being fetched still, the post that quotes it is left out, and comes later', async () => {
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

test('what could not be had is shown as it is', async () => {
  const w = start()
  w.post(bob, { quote: fallback().quoted })
  for (const kind of ['post', 'identity', 'profile', 'records']) fail(kind)
  expect(embedded(await read())).toEqual(['app.bsky.embed.record#viewNotFound'])
})

test('a name that nobody looked up is waited for', async () => {
  const w = start()
  const dan = didOf('dan')
  w.follow(alice, dan)
  w.post(dan)
  const page = read()
  await asked('identity')
  w.handle(dan, 'dan.test')
  for (const kind of ['identity', 'profile']) end(kind)
  expect((await page).feed.map(({ post }) => post.author.handle)).toEqual(['dan.test'])
})

test('a name whose look-up came to nothing so far is waited for, too, until that is hopeless', async () => {
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

test('a profile is waited for, as long as nobody failed to fetch it', async () => {
  const w = start()
  const dan = didOf('dan')
  w.follow(alice, dan)
  w.handle(dan, 'dan.test')
  w.post(dan)
  const page = read()
  await asked('profile')
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

test('a page that is half whole ends above what is being fetched, which is on the next one', async () => {
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

test('after the cold start nothing is left out any more', async () => {
  const w = start(COLD_START)
  const quoting = w.post(bob, { quote: fallback().quoted })
  expect((await read()).feed.map(({ post }) => post.uri)).toEqual([quoting.uri])
})
