// Accounts visible to signed-in viewers only (`!no-unauthenticated`): no method shows a visitor any of their
// posts, anywhere in an answer; every signed-in viewer sees them.

import { afterEach, beforeEach, expect, test } from 'vitest'
import { applyLabels } from '../../../src/ingest/indexing/moderation/label.ts'
import { didOf } from '../../support/records.ts'
import { createServingWorld, type Query, type ServingWorld } from '../../support/serving-world.ts'

const LABELER = didOf('labeler')
const VALUES = {
  labels: {
    $type: 'com.atproto.label.defs#selfLabels',
    values: [{ val: '!no-unauthenticated' }],
  },
}

let w: ServingWorld
let alice: string
let bob: string
let carol: string
beforeEach(() => {
  w = createServingWorld({ scope: 'network', members: ['alice'], labelers: [LABELER] })
  ;[alice, bob, carol] = ['alice', 'bob', 'carol'].map((name) => w.account(name)) as [
    string,
    string,
    string,
  ]
  for (const did of [alice, carol, w.account('labeler')]) w.profile(did)
})
afterEach(() => w.dispose())

/** Reads every place that can show Bob's posts, twice: the second time from the cache. */
async function seen(viewer?: string): Promise<string[]> {
  const root = w.post(bob, 'secret root')
  const reply = w.post(carol, { text: 'reply', reply: { parent: root } })
  const quote = w.post(carol, { text: 'quote', quote: root })
  w.repost(carol, root)
  const requested: [string, Query][] = [
    ['app.bsky.feed.getAuthorFeed', { actor: bob }],
    ['app.bsky.feed.getAuthorFeed', { actor: carol }],
    ['app.bsky.feed.getPosts', { uris: [root.uri, reply.uri, quote.uri] }],
    ['app.bsky.feed.getPostThread', { uri: reply.uri }],
    ['app.bsky.unspecced.getPostThreadV2', { anchor: reply.uri }],
    ['app.bsky.unspecced.getPostThreadV2', { anchor: root.uri }],
  ]
  const found: string[] = []
  for (const [nsid, query] of [...requested, ...requested]) {
    const { body } = await w.ask(nsid, query, viewer)
    if (JSON.stringify(body).includes('secret root')) found.push(nsid)
  }
  return found
}

test('by a self-label', async () => {
  w.profile(bob, VALUES)
  expect(await seen()).toEqual([])
  expect(await seen(alice)).toHaveLength(12)
})

test('by a labeler’s label', async () => {
  w.profile(bob)
  expect(await seen()).toHaveLength(12)
  const label = { uri: bob, val: '!no-unauthenticated', cts: '2026-11-01T00:00:00.000Z' }
  w.run((ctx) =>
    applyLabels(ctx, LABELER, [{ ...label, neg: false, cid: undefined, exp: undefined }]),
  )
  expect(await seen()).toEqual([])
  expect(await seen(alice)).toHaveLength(12)
})

test('their profile stays visible, so that a client can tell why', async () => {
  w.profile(bob, VALUES)
  const profile = await w.get<{ labels: { val: string }[] }>('app.bsky.actor.getProfile', {
    actor: bob,
  })
  expect(profile.labels.map(({ val }) => val)).toEqual(['!no-unauthenticated'])
})
