import { expect, test } from 'vitest'
import { CELEBRITY } from '../../../../src/data/graph/types.ts'
import { fanOut } from '../../../../src/ingest/indexing/memory/fan-out.ts'
import { createMemoryTimelines } from '../../../support/memory-timelines.ts'
import { createRandom } from '../../../support/random.ts'

type FanOutContext = Parameters<typeof fanOut>[0]

const AUTHOR = 1_000_000
const entry = { sortAt: 5, rank: 0, item: 10, originator: AUTHOR }

/** `followers` ascending; `open` timelines. */
function parts(options: {
  followers: number[]
  open: number[]
  isHashDrawn?: FanOutContext['isHashDrawn']
  flags?: number
}): FanOutContext {
  const { followers, open, isHashDrawn = () => true, flags = 0 } = options
  const timelines = createMemoryTimelines(10)
  for (const owner of open) timelines.open(owner, [], false)
  const members = new Set(followers)
  return {
    timelines,
    isHashDrawn,
    actors: { flagsOf: () => flags },
    graph: {
      followersCount: () => followers.length,
      has: (creator, subject) => subject === AUTHOR && members.has(creator),
      followers: (_, after, out) => {
        const rest = followers.filter((uid) => uid > after).slice(0, out.length)
        out.set(rest)
        return rest.length
      },
    },
  }
}

function owners(made: FanOutContext): number[] {
  const timelines = made.timelines as ReturnType<typeof createMemoryTimelines>
  return [...timelines.owners()].filter((owner) => timelines.read(owner, undefined, 1)?.entries[0])
}

test.each([
  ['many followers, few timelines', 2_000, 20],
  ['few followers, many timelines', 20, 2_000],
])(
  'exactly the open timelines of followers receive the item: %s',
  (_, followerCount, openCount) => {
    const random = createRandom(3)
    const distinct = (count: number) =>
      [...new Set(Array.from({ length: count }, () => 1 + random.below(3_000)))].sort(
        (a, b) => a - b,
      )
    const followers = distinct(followerCount)
    const open = distinct(openCount)
    const made = parts({ followers, open })
    const expected = open.filter((owner) => followers.includes(owner))
    expect(fanOut(made, entry, 10)).toEqual({ written: expected.length, leftOut: 0 })
    expect(owners(made).sort((a, b) => a - b)).toEqual(expected)
  },
)

test('a lossy follower is skipped by the draw for this item and this follower', () => {
  const made = parts({ followers: [1, 2, 3], open: [1, 2, 3], isHashDrawn: (owner) => owner !== 2 })
  expect(fanOut(made, entry, 10)).toEqual({ written: 2, leftOut: 1 })
  expect(owners(made)).toEqual([1, 3])
})

test('a celebrity is not fanned out', () => {
  const made = parts({ followers: [1], open: [1], flags: CELEBRITY })
  expect(fanOut(made, entry, 10)).toEqual({ written: 0, leftOut: 0 })
  expect(owners(made)).toEqual([])
})

test('an account that follows itself gets the item from the publisher, not from here', () => {
  const made = parts({ followers: [AUTHOR], open: [AUTHOR] })
  expect(fanOut(made, entry, 10)).toEqual({ written: 0, leftOut: 0 })
})
