// internal.bsky.actor.getProfiles: for the operator's services, which ask on a viewer's behalf.

import { afterEach, beforeEach, expect, test } from 'vitest'
import { decide } from '../../../src/ingest/indexing/moderation/moderation.ts'
import { didOf } from '../../support/records.ts'
import { createServingWorld, type Query, type ServingWorld } from '../../support/serving-world.ts'

const NSID = 'internal.bsky.actor.getProfiles'
const TOKEN = 'a token of the operator, 0123456789'
const AS_OPERATOR = {
  authorization: `Basic ${Buffer.from(`admin:${TOKEN}`).toString('base64')}`,
}
const [alice, bob, carol, dan] = ['alice', 'bob', 'carol', 'dan'].map(didOf) as [
  string,
  string,
  string,
  string,
]
type Profile = {
  did: string
  viewer?: { muted: boolean; following?: string; knownFollowers?: { count: number } }
}

let w: ServingWorld
beforeEach(() => {
  w = createServingWorld({ scope: 'network', members: ['alice'], operatorToken: TOKEN })
  for (const did of [alice, bob, carol, dan]) w.profile(did)
  w.follow(alice, carol)
  for (const did of [bob, dan]) w.follow(carol, did)
})
afterEach(() => w.dispose())

async function profiles(query: Query): Promise<Profile[]> {
  const { status, body } = await w.ask<{ profiles: Profile[] }>(
    ...[NSID, query, undefined, AS_OPERATOR],
  )
  expect(status, JSON.stringify(body)).toBe(200)
  return body.profiles
}

test('shows accounts as the viewer sees them, with known followers of the named ones', async () => {
  const dids = [bob, didOf('nobody'), carol, dan]
  const found = await profiles({ dids, viewer: alice, socialProof: [bob, didOf('another')] })
  expect(found.map(({ did }) => did)).toEqual([bob, carol, dan])
  const proofs = found.map(({ viewer }) => viewer?.knownFollowers?.count)
  expect(proofs).toEqual([1, undefined, undefined])
  expect(found[1]!.viewer?.following).toContain(alice)
})

test('omits viewer state when no viewer is named', async () => {
  for (const { viewer } of await profiles({ dids: [bob, carol], socialProof: [bob] })) {
    expect(viewer).toBeUndefined()
  }
})

test('includes taken-down accounts on request', async () => {
  w.run((ctx) => decide(ctx, { act: 'hide', subject: bob, by: 'tester', reason: 'a test' }))
  expect(await profiles({ dids: [bob, carol] })).toHaveLength(1)
  expect(await profiles({ dids: [bob, carol], includeTakedowns: true })).toHaveLength(2)
})

test('refuses every other caller', async () => {
  const query = { dids: [bob] }
  const wrong = { authorization: `Basic ${Buffer.from('admin:wrong').toString('base64')}` }
  const answers = [
    w.ask(NSID, query, alice),
    w.ask(NSID, query),
    w.ask(NSID, query, undefined, wrong),
  ]
  for (const { status } of await Promise.all(answers)) expect(status).toBe(401)
})
