// The smallest inputs of public reports, kept beside the project, with the right value of each: every one is
// played, so that a further one in the file fails until something here plays it.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { DAY_MS } from '../../../../src/base/util/durations.ts'
import type { JsonObject } from '../../../../src/base/util/json-object.ts'
import { createLabels } from '../../../../src/ingest/labels/labels.ts'
import { createGuardedFetch } from '../../../../src/sources/identity/guarded-fetch.ts'
import { createGuardedLookup } from '../../../../src/sources/identity/guarded-lookup.ts'
import { createResolver } from '../../../../src/sources/identity/resolver.ts'
import { eventually, until } from '../../../support/eventually.ts'
import { createFeedGeneratorDouble } from '../../../support/feed-generator-double.ts'
import { arroba } from '../../../support/foreign-pds.ts'
import { put, startForeignWorld } from '../../../support/foreign-world.ts'
import { startLabelerDouble } from '../../../support/labeler-double.ts'
import { startPlcDouble } from '../../../support/plc-double.ts'
import { blobOf, didOf } from '../../../support/records.ts'
import {
  createServingWorld,
  type Query,
  type ServingOptions,
} from '../../../support/serving-world.ts'
import { startStrangersWorld, write } from '../../../support/strangers-world.ts'

const FILE = join(import.meta.dirname, '../../../../../shared/data/cases/public-reports.json')
const hasFile = existsSync(FILE)
if (!hasFile) console.warn(`SKIPPED: ${FILE} is not there`)

type Given = JsonObject & { record?: JsonObject; records?: JsonObject[]; stream?: JsonObject[] }
const given = (hasFile ? JSON.parse(readFileSync(FILE, 'utf8')) : {}) as Record<string, Given>

const POST = 'app.bsky.feed.post'
const FOLLOW = 'app.bsky.graph.follow'
const PROFILE = 'app.bsky.actor.profile'
const LIST = 'app.bsky.graph.list'
const CURATED = 'app.bsky.graph.defs#curatelist'
const [alice, bob] = ['alice', 'bob'].map(didOf) as [string, string]

type Item = {
  post: {
    uri: string
    indexedAt: string
    record: { text: string }
    embed?: { record: { $type: string } }
    labels?: { val: string }[]
  }
}
type Feed = { feed: Item[] }

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

const textsOf = ({ feed }: Feed) => feed.map(({ post }) => post.record.text)
const kindOf = (type: string) => type.split('#')[1]

/** How each is played; what is not right fails an expectation. */
const PLAYED: Record<string, (of: Given) => Promise<void>> = {
  'listing-ascending': playRisingListing,
  'own-pds-ascending': playOwnRisingListing,
  'first-view-of-shared-things': playFirstView,
  'handle-in-at-uri': playHandles,
  'blobs-not-accepted': playBlobs,
  'dates-before-1970': playEarlyDates,
  'label-negation-first': playEarlyNegation,
  'broken-repositories-on-one-host': playBrokenRepositories,
}

/** Played where their feature is: test/features. */
const OF_FEATURES = ['fallback-fails']

test.skipIf(!hasFile)('every input is played', () => {
  const ofCore = Object.keys(given).filter((name) => !OF_FEATURES.includes(name))
  expect(Object.keys(PLAYED)).toEqual(ofCore)
})

test.skipIf(!hasFile).each(Object.keys(PLAYED))(
  '%s',
  async (name) => PLAYED[name]!(given[name]!),
  120_000,
)

async function startForeign() {
  const world = await startForeignWorld()
  ends.push(() => world.close())
  world.foreign.runs(arroba())
  return world
}

async function playRisingListing(): Promise<void> {
  const world = await startForeign()
  const member = await world.person('member', world.home)
  const bridged = await world.person('bridged', world.foreign)
  for (let i = 0; i < 1_500; i++) {
    put(bridged, POST, { text: `B${i}` }, world.startAt - ((1_500 - i) * DAY_MS) / 3)
  }
  put(member, FOLLOW, { subject: bridged.did }, world.startAt)
  world.w.member(member.did)
  await world.settled()
  const newest = Array.from({ length: 50 }, (_, i) => `B${1_499 - i}`)
  expect((await world.timeline(member)).slice(0, 50)).toEqual(newest)
  expect((await world.authorFeed(bridged, member)).slice(0, 50)).toEqual(newest)
}

async function playOwnRisingListing(): Promise<void> {
  const world = await startForeign()
  const member = await world.person('member', world.foreign)
  const newest = await world.person('newest', world.home)
  const blocked = await world.person('blocked', world.home)
  put(newest, POST, { text: 'N' }, world.startAt - DAY_MS)
  const write = (collection: string, name: string, last: string) => {
    for (let i = 1; i < 1_200; i++) {
      const atMs = world.startAt - (1_200 - i) * 3_600_000
      put(member, collection, { subject: didOf(`${name}${i}`) }, atMs)
    }
    put(member, collection, { subject: last }, world.startAt)
  }
  write(FOLLOW, 'followed', newest.did)
  write('app.bsky.graph.block', 'blocked', blocked.did)
  world.w.member(member.did)
  await world.settled()
  expect(await world.timeline(member)).toContain('N')
  expect((await world.profile(newest, member)).viewer.following).toBeTypeOf('string')
  expect((await world.profile(blocked, member)).viewer.blocking).toBeTypeOf('string')
}

/** The record of the file embeds each thing in turn. */
async function playFirstView({ record }: Given): Promise<void> {
  const world = await startStrangersWorld()
  ends.push(() => world.stop())
  const eve = await world.person('eve')
  const list = write(eve, LIST, { name: 'people', purpose: CURATED })
  const made = [
    write(eve, 'app.bsky.graph.starterpack', { name: 'pack', list: list.uri }),
    write(eve, 'app.bsky.feed.generator', { did: 'did:web:feeds.test', displayName: 'Cats' }),
    list,
    write(eve, 'app.bsky.labeler.service', { policies: { labelValues: ['spam'] } }, 'self'),
  ]
  world.w.follow(alice, bob)
  world.w.profile(bob)
  world.w.handle(bob, 'bob.test')
  for (const embedded of made) {
    const embed = { ...(record!['embed'] as JsonObject), record: embedded }
    world.w.create(bob, POST, { ...record, embed })
  }
  const { feed } = await world.w.get<Feed>('app.bsky.feed.getTimeline', {}, alice)
  expect(feed.map(({ post }) => kindOf(post.embed!.record.$type)).sort()).toEqual(
    ['starterPackViewBasic', 'generatorView', 'listView', 'labelerView'].sort(),
  )
}

/** Each question of the file, with records of ours in place of its keys, is answered as with the DID. */
async function playHandles({ ask }: Given): Promise<void> {
  const { did, services, fetch } = createFeedGeneratorDouble()
  const w = serve({ services: { [did]: services }, fetch })
  w.profile(bob)
  w.handle(bob, 'ann.test')
  const list = w.list(bob, 'people', CURATED)
  w.listItem(bob, list, bob)
  const made: Record<string, string> = {
    getPosts: w.post(bob, 'hello').uri,
    getList: list.uri,
    getListFeed: list.uri,
    getStarterPacks: w.create(bob, 'app.bsky.graph.starterpack', { name: 'p', list: list.uri }).uri,
  }
  const feed = w.create(bob, 'app.bsky.feed.generator', { did, displayName: 'Cats' }).uri
  for (const question of ask as string[]) {
    const [, nsid, param] = /^([\w.]+)\?(\w+)=/.exec(question)!
    const uri = made[nsid!.split('.').at(-1)!] ?? feed
    const answerTo = (value: string) => w.ask(nsid!, { [param!]: value } as Query, alice)
    const expected = await answerTo(uri)
    expect(JSON.stringify(expected.body)).toContain(nsid!.endsWith('Feed') ? 'hello' : uri)
    const answer = await answerTo(uri.replace(bob, 'ann.test'))
    expect({ nsid, ...answer.body! }).toEqual({ nsid, ...expected.body! })
  }
}

async function playBlobs({ records }: Given): Promise<void> {
  const w = serve()
  const { ref } = blobOf('file')
  const all = JSON.parse(JSON.stringify(records).replaceAll('bafkrei…', ref.$link)) as JsonObject[]
  w.follow(alice, bob)
  w.profile(bob, { displayName: 'before' })
  w.handle(bob, 'bob.test')
  for (const record of all) {
    const collection = String(record['$type'])
    const isProfile = collection === PROFILE
    w.create(bob, collection, record, isProfile ? 'self' : undefined)
  }
  w.post(bob, 'sound')
  const feed = await w.get<Feed>('app.bsky.feed.getTimeline', {}, alice)
  expect(textsOf(feed)).toEqual(['sound'])
  const videos = { actor: bob, filter: 'posts_with_video' }
  expect(textsOf(await w.get<Feed>('app.bsky.feed.getAuthorFeed', videos, alice))).toEqual([])
  const profile = await w.get<JsonObject>('app.bsky.actor.getProfile', { actor: bob }, alice)
  expect(profile).toMatchObject({ displayName: 'before', postsCount: 1 })
  expect(profile['avatar']).toBeUndefined()
}

async function playEarlyDates({ records }: Given): Promise<void> {
  const w = serve()
  w.follow(alice, bob)
  w.profile(bob)
  for (const record of records!) w.create(bob, POST, record)
  const expected = records!.map((record) => [record['text'], record['createdAt']]).reverse()
  for (const [nsid, query] of [
    ['app.bsky.feed.getTimeline', {}],
    ['app.bsky.feed.getAuthorFeed', { actor: bob }],
  ] as const) {
    const { feed } = await w.get<Feed>(nsid, query, alice)
    expect(feed.map(({ post }) => [post.record.text, post.indexedAt])).toEqual(expected)
  }
}

async function playEarlyNegation({ stream }: Given): Promise<void> {
  const plc = await startPlcDouble()
  const labeler = await startLabelerDouble(plc, 'labeler.test')
  ends.push(
    () => plc.close(),
    () => labeler.close(),
  )
  const w = createServingWorld({
    members: ['alice'],
    labelers: [labeler.did],
    startAt: Date.now(),
  })
  ends.push(() => w.dispose())
  w.follow(alice, bob)
  const { uri } = w.post(bob, 'hello')
  const fetch = createGuardedFetch({ allowPrivateHosts: true })
  const capacity = createLabels({
    db: w.db,
    actors: w.actors,
    writer: w.writer,
    resolver: createResolver({ fetch, plcUrl: plc.url, allowPrivateHosts: true }),
    fetch,
    lookupFor: createGuardedLookup({ allowPrivateHosts: true }),
    log: { debug() {} },
    now: Date.now,
    configured: [labeler.did],
    onWork: () => undefined,
    limits: { retryMs: 20, maxRetryMs: 50, gatherMs: 5 },
  })
  ends.push(() => capacity.stop())
  capacity.start()
  await until(() => labeler.connections.length > 0)
  for (const reported of stream!)
    await labeler.say({ ...(reported as { val: string; cts: string }), uri })
  await labeler.say({ uri, val: 'sentinel' })
  await eventually(async () => {
    const headers = { 'atproto-accept-labelers': labeler.did }
    const { body } = await w.ask<Feed>('app.bsky.feed.getTimeline', {}, alice, headers)
    expect(body.feed[0]?.post.labels?.map(({ val }) => val)).toEqual(['sentinel'])
  })
}

async function playBrokenRepositories(): Promise<void> {
  const world = await startForeignWorld({ firstBackoffMs: 300 })
  ends.push(() => world.close())
  const member = await world.person('member', world.home)
  const sound: string[] = []
  for (let i = 0; i < 40; i++) {
    const author = await world.person(`author${i}`, world.foreign)
    put(author, POST, { text: `A${i}` }, world.startAt - DAY_MS)
    put(member, FOLLOW, { subject: author.did }, world.startAt - i)
    if (i % 2 === 0) {
      world.foreign.misbehave({ did: author.did, method: 'listRecords', how: { status: 500 } })
    } else sound.push(`A${i}`)
  }
  world.w.member(member.did)
  await eventually(async () => {
    expect((await world.timeline(member)).sort()).toEqual(expect.arrayContaining(sound))
  })
}

function serve(more: ServingOptions = {}) {
  const w = createServingWorld({ members: ['alice'], scope: 'network', ...more })
  ends.push(() => w.dispose())
  return w
}
