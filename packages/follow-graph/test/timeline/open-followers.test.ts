// Which timelines are visited, on the real graph and rings, and how many lookups it takes.

import { expect, test } from 'vitest'
import { createRandom } from '../../../../test/support/random.ts'
import { testSeed } from '../../../../test/support/seed.ts'
import { createFollowGraph } from '../../src/graph/follow-graph.ts'
import { forEachOpenFollower } from '../../src/timeline/open-followers.ts'
import { createTimelines } from '../../src/timeline/rings.ts'

const GIANT = 1_000_000
const PAGE = 10_000

/** Counts every call. */
function world(options: { followers: readonly number[]; open: readonly number[] }) {
  const graph = createFollowGraph()
  for (const uid of options.followers) graph.add(uid, GIANT)
  const timelines = createTimelines(4)
  for (const owner of options.open) timelines.open(owner, [], false)
  const requested = { has: 0, pages: 0 }
  const counted = {
    followersCount: (uid: number) => graph.followersCount(uid),
    has: (creator: number, subject: number) => {
      requested.has++
      return graph.has(creator, subject)
    },
    followers: (uid: number, after: number, out: Uint32Array) => {
      requested.pages++
      return graph.followers(uid, after, out)
    },
  }
  const visited: number[] = []
  forEachOpenFollower({ graph: counted, timelines }, GIANT, (owner) => visited.push(owner))
  return { visited: visited.sort((a, b) => a - b), asked: requested }
}

const upTo = (count: number) => Array.from({ length: count }, (_, i) => i + 1)

test('each open timeline of a follower is visited once, the account’s own never', () => {
  const random = createRandom(testSeed('open followers'))
  for (let round = 0; round < 40; round++) {
    const some = () => [
      ...new Set(Array.from({ length: random.below(400) }, () => 1 + random.below(500))),
    ]
    const followers = [...some(), ...(random.chance(0.5) ? [GIANT] : [])]
    const open = [...some(), ...(random.chance(0.5) ? [GIANT] : [])]
    const expected = open.filter((uid) => uid !== GIANT && followers.includes(uid))
    expect(world({ followers, open }).visited).toEqual(expected.sort((a, b) => a - b))
  }
})

test('a giant among three open timelines takes three lookups', () => {
  const { visited, asked: requested } = world({ followers: upTo(50_000), open: [7, 8, 60_000] })
  expect(visited).toEqual([7, 8])
  expect(requested).toEqual({ has: 3, pages: 0 })
})

test('followers are walked in pages if far more timelines are open', () => {
  const { visited, asked: requested } = world({ followers: upTo(PAGE + 1), open: upTo(3 * PAGE) })
  expect(visited).toEqual(upTo(PAGE + 1))
  expect(requested).toEqual({ has: 0, pages: 2 })
})

test('an account without followers costs nothing', () => {
  expect(world({ followers: [], open: [1, 2] })).toEqual({
    visited: [],
    asked: { has: 0, pages: 1 },
  })
})
