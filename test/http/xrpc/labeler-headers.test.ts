// Every page of accounts names the labelers that were applied, including the empty page for a retired cursor.

import { afterEach, expect, test } from 'vitest'
import { createServingWorld, type ServingWorld } from '../../support/serving-world.ts'

const LABELER = 'did:plc:labelerrrrrrrrrrrrrrrrrr'
const RETIRED = '1700000000000::bafyold'

let world: ServingWorld | undefined
afterEach(() => world?.dispose())

test.each([
  ['app.bsky.graph.getFollows', 'follows', true],
  ['app.bsky.graph.getFollowers', 'followers', true],
  ['app.bsky.graph.getKnownFollowers', 'followers', true],
  ['app.bsky.graph.getMutes', 'mutes', false],
  ['app.bsky.graph.getBlocks', 'blocks', false],
])('%s', async (nsid, list, isOfSomebody) => {
  world = createServingWorld({ members: ['alice'], labelers: [LABELER], startAt: Date.now() })
  const [alice, bob] = [world.account('alice'), world.account('bob')]
  world.follow(alice, bob)
  for (const cursor of [undefined, RETIRED]) {
    const query = { cursor, ...(isOfSomebody && { actor: bob }) }
    const { status, body, headers } = await world.ask<Record<string, unknown>>(nsid, query, alice)
    expect(status).toBe(200)
    expect(headers.get('atproto-content-labelers')).toBe(`${LABELER};redact`)
    if (cursor) expect(body[list]).toEqual([])
  }
})
