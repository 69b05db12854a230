// Rare details in answers, as in the reference's own dataplane: times of records, who blocks whom, repeated
// likes, and deleted posts in threads.

import type { Client, createClient } from '@connectrpc/connect'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Service } from '../../../src/features/dataplane/generated/bsky-pb.ts'
import { didOf } from '../../support/records.ts'
import { createWorld, type World } from '../../support/world.ts'
import { startCallsOver } from './dataplane-world.ts'

const [alice, bob, carla] = ['alice', 'bob', 'carla'].map(didOf) as [string, string, string]
const FUTURE = '2031-01-01T00:00:00.000Z'

let world: World
let dataplane: Awaited<ReturnType<typeof startCallsOver>>
let calls: Client<typeof Service>

beforeEach(async () => {
  world = createWorld({ scope: 'network' })
  dataplane = await startCallsOver(world)
  calls = dataplane.calls as unknown as ReturnType<typeof createClient<typeof Service>>
})

afterEach(async () => {
  await dataplane.close()
  world.dispose()
})

const secondsOf = (time: { seconds: bigint } | undefined) => time && Number(time.seconds)

test('a record’s time is the one it states, or unknown', async () => {
  const { uri } = world.create(alice, 'app.bsky.feed.generator', {
    did: 'did:web:feeds.test',
    displayName: 'a feed',
    createdAt: FUTURE,
  })
  world.write({
    did: alice,
    collection: 'app.bsky.actor.profile',
    rkey: 'self',
    operation: 'create',
    record: { displayName: 'Alice' },
  })
  const [feed] = (await calls.getFeedGeneratorRecords({ uris: [uri] })).records
  expect(secondsOf(feed?.createdAt)).toBe(Date.parse(FUTURE) / 1_000)
  expect(secondsOf(feed?.sortedAt)).toBeLessThan(Date.parse(FUTURE) / 1_000)
  const [found] = (await calls.getActors({ dids: [alice] })).actors
  expect(found?.createdAt).toBeUndefined()
  expect(found?.profile?.createdAt).toBeUndefined()
  expect(found?.profile?.sortedAt).toBeDefined()
})

test('a record that states no time is as old as its arrival, not of 1970', async () => {
  world.write({
    did: alice,
    collection: 'app.bsky.notification.declaration',
    rkey: 'self',
    operation: 'create',
    record: { $type: 'app.bsky.notification.declaration', allowSubscriptions: 'followers' },
  })
  const uris = [`at://${alice}/app.bsky.notification.declaration/self`]
  const [declared] = (await calls.getNotificationDeclarationRecords({ uris })).records
  expect(declared?.createdAt).toBeUndefined()
  expect(secondsOf(declared?.sortedAt)).toBeGreaterThan(Date.parse('2020-01-01') / 1_000)
  expect(secondsOf(declared?.indexedAt)).toBeGreaterThan(Date.parse('2020-01-01') / 1_000)
})

test('who blocks whom, directly and by a list', async () => {
  const direct = world.block(alice, bob)
  const list = world.list(carla, 'list', 'app.bsky.graph.defs#modlist')
  world.listItem(carla, list, bob)
  world.listBlock(carla, list)
  const pairs = [
    [alice, bob],
    [bob, alice],
    [carla, bob],
    [bob, carla],
    [alice, carla],
  ].map(([a, b]) => ({ a: a!, b: b! }))
  const { exists, blocks } = await calls.getBlockExistence({ pairs })
  expect(exists).toEqual([true, true, true, true, false])
  expect(blocks).toMatchObject([
    { blocking: direct.uri, blockedBy: '' },
    { blocking: '', blockedBy: direct.uri },
    { blockingByList: list.uri, blockedByList: '' },
    { blockingByList: '', blockedByList: list.uri },
    { blocking: '', blockedBy: '' },
  ])
  const { blockUri } = await calls.getBidirectionalBlock({ actorDid: bob, targetDid: alice })
  expect(blockUri).toBe(direct.uri)
})

test('who is on a list, also once the list is deleted', async () => {
  const list = world.list(carla, 'list', 'app.bsky.graph.defs#curatelist')
  const item = world.listItem(carla, list, bob)
  const request = { actorDid: bob, listUris: [list.uri, 'at://nobody/app.bsky.graph.list/self'] }
  expect(await calls.getListMembership(request)).toMatchObject({ listitemUris: [item.uri, ''] })
  world.delete(list)
  expect(await calls.getListMembership(request)).toMatchObject({ listitemUris: [item.uri, ''] })
})

test('an account that likes a post twice is listed once', async () => {
  const post = world.post(bob)
  for (const did of [carla, bob, carla]) world.like(did, post)
  for (const did of [carla, bob]) world.follow(alice, did)
  const request = { actorDid: alice, subjectUris: [post.uri], limit: 3 }
  const { results } = await calls.getKnownLikers(request)
  expect(results[0]).toMatchObject({ count: 2, dids: expect.arrayContaining([bob, carla]) })
})

test('posts named again and again, more than are looked at in one go, each have their likers in place', async () => {
  const [liked, other] = [world.post(bob), world.post(bob)]
  world.like(carla, liked)
  world.follow(alice, carla)
  const uris = Array.from({ length: 70 }, (_, i) => [liked, other][i % 3 === 0 ? 0 : 1]!.uri)
  const { results } = await calls.getKnownLikers({ actorDid: alice, subjectUris: uris, limit: 3 })
  expect(results).toMatchObject(
    uris.map((subjectUri) =>
      subjectUri === liked.uri
        ? { subjectUri, count: 1, dids: [carla] }
        : { subjectUri, count: 0, dids: [] },
    ),
  )
})

test('a deleted post keeps its place in the chain of the thread’s owner while it is continued', async () => {
  const root = world.post(alice)
  const chain = [root]
  for (let i = 0; i < 3; i++) {
    chain.push(world.post(alice, { reply: { root, parent: chain.at(-1)! } }))
  }
  world.delete(chain[2]!)
  const { opThread } = await calls.getThread({ postUri: root.uri, above: 10, below: 10 })
  expect(opThread).toEqual(chain.map(({ uri }) => uri))
  world.delete(chain[3]!)
  const shorter = await calls.getThread({ postUri: root.uri, above: 10, below: 10 })
  expect(shorter.opThread).toEqual(chain.slice(0, 2).map(({ uri }) => uri))
})

test('replies below a deleted post are still shown', async () => {
  const post = world.post(bob)
  const answer = world.post(carla, { reply: { parent: post } })
  const further = world.post(alice, { reply: { parent: answer, root: post } })
  world.delete(post.uri)
  const { uris } = await calls.getThread({ postUri: post.uri, above: 5, below: 5 })
  expect(uris.toSorted()).toEqual([answer.uri, further.uri].toSorted())
})

test('suggestions leave out strangers who do not want to be recommended', async () => {
  world.member(alice)
  world.follow(alice, bob)
  world.follow(bob, carla)
  world.follow(didOf('dave'), carla)
  const suggested = async () => (await calls.getFollowSuggestions({ actorDid: alice })).dids
  expect(await suggested()).toEqual([carla])
  const hides = { hideFromAlgorithmicRecommendations: true }
  world.create(carla, 'app.bsky.actor.contentVisibilityDeclaration', hides, 'self')
  expect(await suggested()).toEqual([])
})
