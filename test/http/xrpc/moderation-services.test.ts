// What the operator's moderation services see: threads despite blocks, their own and other accounts', while
// profiles still report the block. They can read without being members.

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { XRPCError } from '../../../src/base/atproto/xrpc-error.ts'
import { didOf } from '../../support/records.ts'
import { createServingWorld, type Query, type ServingWorld } from '../../support/serving-world.ts'
import type { RecordId } from '../../support/world.ts'

const [ozone, alice, bob, carol] = ['ozone', 'alice', 'bob', 'carol'].map(didOf) as [
  string,
  string,
  string,
  string,
]

let w: ServingWorld
let root: RecordId
let reply: RecordId
let quote: RecordId
beforeEach(() => {
  const members = new Set([alice, carol])
  w = createServingWorld({
    scope: 'network',
    members: ['alice', 'carol'],
    moderationServices: [ozone],
    onViewer(did) {
      if (!members.has(did)) throw new XRPCError(403, 'NotAMember', 'only members read here')
    },
  })
  for (const did of [ozone, alice, bob, carol]) w.profile(did)
  root = w.post(alice, 'said by alice')
  reply = w.post(bob, { text: 'answered by bob', reply: { parent: root } })
  quote = w.post(bob, { text: 'quoted by bob', quote: root })
  w.block(alice, bob)
  w.block(alice, ozone)
  w.block(ozone, bob)
})
afterEach(() => w.dispose())

const threads: [nsid: string, name: string][] = [
  ['app.bsky.feed.getPostThread', 'uri'],
  ['app.bsky.unspecced.getPostThreadV2', 'anchor'],
]

/** Reads twice: the second time other viewers' answers are cached. */
async function texts(nsid: string, query: Query, viewer: string): Promise<string> {
  const first = await w.get(nsid, query, viewer)
  expect(await w.get(nsid, query, viewer)).toEqual(first)
  return JSON.stringify(first)
}

describe.each(threads)('%s', (nsid, name) => {
  test('shows a moderation service what other viewers do not see', async () => {
    for (const viewer of [carol, ozone, carol]) {
      const isOzone = viewer === ozone
      const below = await texts(nsid, { [name]: root.uri }, viewer)
      expect(below).toContain('said by alice')
      expect(below.includes('answered by bob')).toBe(isOzone)
      const above = await texts(nsid, { [name]: reply.uri }, viewer)
      expect(above).toContain('answered by bob')
      expect(above.includes('said by alice')).toBe(isOzone)
      const quoted = await texts(nsid, { [name]: quote.uri }, viewer)
      expect(quoted.includes('said by alice')).toBe(isOzone)
      expect(quoted.includes('viewBlocked')).toBe(!isOzone)
    }
  })

  test('still applies blocks between accounts that are not moderation services', async () => {
    w.block(alice, carol)
    expect(await texts(nsid, { [name]: root.uri }, carol)).not.toContain('said by alice')
  })
})

test('other replies of a thread include those by accounts a moderation service blocks', async () => {
  w.post(bob, { text: '📌', reply: { parent: root } })
  const query = { anchor: root.uri }
  const nsid = 'app.bsky.unspecced.getPostThreadOtherV2'
  expect(await texts(nsid, query, ozone)).toContain('📌')
  expect(await texts(nsid, query, carol)).not.toContain('📌')
})

test('profiles still report its block', async () => {
  const { viewer } = await w.get<{ viewer: object }>(
    'app.bsky.actor.getProfile',
    { actor: alice },
    ozone,
  )
  expect(viewer).toMatchObject({ blockedBy: true })
})

test('reads without being a member, unlike other accounts', async () => {
  const ask = (viewer: string) => w.ask('app.bsky.feed.getPosts', { uris: [quote.uri] }, viewer)
  expect((await ask(ozone)).status).toBe(200)
  expect((await ask(bob)).status).toBe(403)
})
