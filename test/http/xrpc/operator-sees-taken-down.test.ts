// Content that the operator hid is shown to the operator and their moderation services, who may have to
// review it, and to no other viewer, even after one of them viewed it.

import { afterEach, beforeEach, expect, test } from 'vitest'
import { decide } from '../../../src/ingest/indexing/moderation/moderation.ts'
import { didOf } from '../../support/records.ts'
import { createServingWorld, type Query, type ServingWorld } from '../../support/serving-world.ts'
import type { RecordId } from '../../support/world.ts'

const [ozone, alice, bob, carol] = ['ozone', 'alice', 'bob', 'carol'].map(didOf) as [
  string,
  string,
  string,
  string,
]
const TOKEN = 'a token of the operator, 0123456789'

let w: ServingWorld
let post: RecordId
let list: RecordId
beforeEach(() => {
  w = createServingWorld({
    scope: 'network',
    members: ['alice'],
    moderationServices: [ozone],
    operatorToken: TOKEN,
  })
  for (const did of [ozone, alice, bob, carol]) w.profile(did)
  post = w.post(bob, 'unfit words by bob')
  w.post(carol, { text: 'answered by carol', reply: { parent: post } })
  list = w.create(bob, 'app.bsky.graph.list', {
    name: 'unfit list',
    purpose: 'app.bsky.graph.defs#curatelist',
    createdAt: '2026-01-01T00:00:00.000Z',
  })
  w.follow(bob, carol)
})
afterEach(() => w.dispose())

function basic(password: string): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`admin:${password}`).toString('base64')}` }
}

const requested: [nsid: string, query: () => Query, shows: string][] = [
  ['app.bsky.actor.getProfile', () => ({ actor: bob }), bob],
  ['app.bsky.actor.getProfiles', () => ({ actors: [bob] }), bob],
  ['app.bsky.feed.getAuthorFeed', () => ({ actor: bob }), 'unfit words'],
  ['app.bsky.feed.getPosts', () => ({ uris: [post.uri] }), 'unfit words'],
  ['app.bsky.feed.getPostThread', () => ({ uri: post.uri }), 'unfit words'],
  ['app.bsky.graph.getLists', () => ({ actor: bob }), 'unfit list'],
  ['app.bsky.graph.getFollowers', () => ({ actor: carol }), bob],
]

async function visible(): Promise<Record<string, boolean[]>> {
  const found: Record<string, boolean[]> = { operator: [], service: [], stranger: [], member: [] }
  for (const [nsid, query, shows] of requested) {
    const answers = {
      operator: await w.ask(nsid, query(), undefined, basic(TOKEN)),
      service: await w.ask(nsid, query(), ozone),
      stranger: await w.ask(nsid, query(), undefined, basic('a wrong token')),
      member: await w.ask(nsid, query(), alice),
    }
    for (const [who, { body }] of Object.entries(answers)) {
      found[who]!.push(JSON.stringify(body).includes(shows))
    }
  }
  return found
}

const all = requested.map(() => true)

test.each([
  ['an account', () => [bob], requested.map(() => false)],
  ['records', () => [post.uri, list.uri], [true, true, false, false, false, false, true]],
])('%s that the operator hid', async (_, subjects, toOthers) => {
  const everything = { operator: all, service: all, stranger: all, member: all }
  expect(await visible()).toEqual(everything)
  w.run((ctx) => {
    for (const subject of subjects()) {
      decide(ctx, { act: 'hide', subject, by: 'tester', reason: 'a test' })
    }
  })
  expect(await visible()).toEqual({ ...everything, stranger: toOthers, member: toOthers })
})
