// The frontend's calls in the queue of all requests: each is a turn whose time is measured and bounded, and
// none is refused for how many there are.

import { type Client, createClient } from '@connectrpc/connect'
import { createGrpcTransport } from '@connectrpc/connect-node'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { loadConfig } from '../../../src/base/config/config.ts'
import { inSlices } from '../../../src/features/dataplane/calls/slices.ts'
import { Service } from '../../../src/features/dataplane/generated/bsky-pb.ts'
import { createOverload, type Overload } from '../../../src/http/overload/overload.ts'
import { createRateBuffers } from '../../../src/http/overload/rate-limits.ts'
import { type HydratedWorld, hydrateWorld } from '../../support/hydration.ts'
import { createRandom } from '../../support/random.ts'
import { randomWorld } from '../../support/random-world.ts'
import { didOf } from '../../support/records.ts'
import { createWorld } from '../../support/world.ts'
import { type DataplaneWorld, startCallsOver, startDataplaneOver } from './dataplane-world.ts'

const MEMBER = { rank: 'member', key: 'did:plc:member' } as const
/** Beyond what a turn may take. */
const LONG_MS = 30

let ours: HydratedWorld
let someone: string
let dataplane: DataplaneWorld
let clockMs: number
let tickMs: number
let ran: (string | undefined)[]
let afterFirstTurn: () => void
let overload: Overload

beforeEach(async () => {
  const world = randomWorld(createRandom(7), 40)
  ours = hydrateWorld(world)
  someone = [...world.accounts.keys()][0]!
  clockMs = 0
  tickMs = 0
  ran = []
  afterFirstTurn = () => undefined
  const config = loadConfig({}, 'no-such-file')
  const clock = () => (clockMs += tickMs)
  overload = createOverload({ config, buffers: createRateBuffers(), clock })
  const observed: Overload = {
    ...overload,
    run(caller, work) {
      ran.push(caller.who?.rank)
      const answer = overload.run(caller, work)
      afterFirstTurn()
      return answer
    },
  }
  dataplane = await startDataplaneOver(ours, { overload: observed })
})
afterEach(async () => {
  await dataplane.close()
  ours.close()
})

/** A member's call comes while the frontend's waits to go on. @returns the order of their ends */
function orderBeside(): string[] {
  const order: string[] = []
  const run = () => order.push('member')
  afterFirstTurn = () => {
    const { time } = overload.admitFrontend()
    void overload.run({ who: MEMBER, time }, { run, isHeavy: false, isGone: () => false })
  }
  return order
}

const client = () => createClient(Service, createGrpcTransport({ baseUrl: dataplane.url }))

test('thousands of calls at once wait in the queue, and none is refused', async () => {
  const calls = client()
  const answers = Array.from({ length: 2_000 }, () => calls.getLatestRev({ actorDid: someone }))
  expect(await Promise.all(answers)).toHaveLength(2_000)
  expect(ran).toEqual(Array.from({ length: 2_000 }, () => 'frontend'))
})

test('a call about thousands of accounts is made in turns, between which a member’s runs', async () => {
  tickMs = LONG_MS
  const order = orderBeside()
  const dids = Array.from({ length: 2_000 }, () => someone)
  const answer = client()
    .getActors({ dids })
    .then(({ actors }) => {
      order.push('frontend')
      return actors
    })
  expect(await answer).toHaveLength(2_000)
  expect(order).toEqual(['member', 'frontend'])
})

test('known followers of several accounts are found in turns, between which a member’s runs', async () => {
  tickMs = LONG_MS
  const order = orderBeside()
  const accounts = Array.from({ length: 20 }, () => someone)
  const answer = client()
    .getFollowsFollowing({ actorDid: someone, targetDids: accounts })
    .then(({ results }) => {
      order.push('frontend')
      return results
    })
  expect((await answer).map(({ targetDid }) => targetDid)).toEqual(accounts)
  expect(order).toEqual(['member', 'frontend'])
})

test('known followers of one account are encoded in turns, and read once if it is named again', async () => {
  const world = createWorld({ scope: 'network' })
  const [viewer, target] = [didOf('viewer'), didOf('target')]
  const followers = Array.from({ length: 4_500 }, (_, i) => didOf(`follower ${i}`))
  for (const did of followers) {
    world.follow(viewer, did)
    world.follow(did, target)
  }
  const { graph } = world.memory
  const reading = vi.spyOn(graph, 'knownFollowers')
  const over = await startCallsOver(world)
  const calls = over.calls as unknown as Client<typeof Service>
  try {
    const targetDids = [target, viewer, target, target]
    const { results } = await calls.getFollowsFollowing({ actorDid: viewer, targetDids })
    expect(results.map(({ targetDid }) => targetDid)).toEqual(targetDids)
    expect(results[0]!.dids.toSorted()).toEqual(followers.toSorted())
    expect(results[3]).toEqual(results[0])
    expect(results[1]!.dids).toEqual([])
    const sizes = reading.mock.results.map(({ value }) => value)
    expect(sizes).toEqual([2_000, 2_000, 500, 0])
  } finally {
    await over.close()
    world.dispose()
  }
})

test('an answer that is too large is refused before all of it is made', async () => {
  const requested: number[] = []
  const handler = ({ uris }: { uris: string[] }) => {
    requested.push(uris.length)
    return { text: 'x'.repeat(uris.length) }
  }
  const encode = ({ text }: { text: string }) => Buffer.from(text)
  const slicing = { begin: () => undefined, encode: encode as never, maxBytes: 600 }
  const sliced = inSlices('getPostRecords', handler as never, slicing)
  const of = (count: number) => ({ uris: Array.from({ length: count }, (_, i) => `at://${i}`) })
  expect(await sliced(of(600) as never, undefined)).toHaveLength(600)
  requested.length = 0
  expect(() => sliced(of(2_000) as never, undefined)).toThrow('too large')
  expect(requested).toEqual([250, 250, 250])
})

test('the search service beside it is in the queue, too', async () => {
  const path = 'xrpc/app.bsky.unspecced.searchPostsSkeleton?q=anything'
  const response = await fetch(`${dataplane.url}/${path}`)
  expect(response.status).toBe(200)
  expect(ran).toEqual(['frontend'])
})
