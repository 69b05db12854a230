import { expect, test } from 'vitest'
import { countPosts, scanPosts } from '../../../src/answers/skeleton/search/post-scan.ts'
import type {
  PositionRange,
  PostPosition,
  PostSearch,
} from '../../../src/data/store/read/posts/post-search.ts'
import { createRandom } from '../../support/random.ts'
import { testSeed } from '../../support/seed.ts'

type StretchPart = Parameters<PostSearch['positions']>[1]

const MATCH = { wanted: [], unwanted: [] }
const ALL: PositionRange = { from: { period: 0, id: 0 }, below: { period: 2 ** 31 - 1, id: 0 } }
const numberOf = ({ period, id }: PostPosition) => period * 2 ** 20 + id

/** A plain list instead of the index, cut into stretches that begin at these periods. */
function listed(positions: PostPosition[], firsts: number[], onRead: () => void): PostSearch {
  const inPart = ({ stretch, range: { from, below } }: StretchPart) => {
    onRead()
    const next = firsts.find((first) => first > stretch.first) ?? Infinity
    expect([from.period >= stretch.first, numberOf(below) <= next * 2 ** 20]).toEqual([true, true])
    return positions
      .filter(
        (postPlace) =>
          numberOf(postPlace) >= numberOf(from) && numberOf(postPlace) < numberOf(below),
      )
      .sort((a, b) => numberOf(b) - numberOf(a))
  }
  const periods = positions.map(({ period }) => period)
  return {
    positions: (_match, part) => inPart(part).slice(0, part.limit),
    count: (_match, part) => Math.min(inPart(part).length, part.limit),
    stretchAt: (period) => {
      const first = firsts.findLast((first) => first <= period)!
      return { first, id: 1, movedFrom: null }
    },
    ends: () =>
      positions.length > 0
        ? { oldest: Math.min(...periods), newest: Math.max(...periods) }
        : undefined,
    posts: () => [],
  }
}

test('however often it is cut off, resuming there reads everything once, in order', () => {
  const random = createRandom(testSeed('scanPosts'))
  for (let round = 0; round < 60; round++) {
    const spread = random.pick([10, 5_000, 2_000_000])
    const period = () => 1_000_000_000 + random.below(spread)
    const positions = Array.from({ length: random.below(80) }, (_, id) => {
      return { period: period(), id: id + 1 }
    })
    const firsts = Array.from({ length: random.below(20) }, period).sort((a, b) => a - b)
    const search = listed(positions, [0, ...firsts], () => {})
    const found: PostPosition[] = []
    let below: PostPosition | undefined = ALL.below
    for (let turns = 0; below; turns++) {
      expect(turns).toBeLessThan(100)
      const options = { limit: 1_000, isTimeOver: () => random.chance(0.5) }
      const scan = scanPosts(search, MATCH, { range: { ...ALL, below }, ...options })
      found.push(...scan.positions)
      below = scan.cutAt
    }
    expect(found).toEqual([...positions].sort((a, b) => numberOf(b) - numberOf(a)))
  }
})

test('it reads one stretch after its time is over, and not more', () => {
  const positions = Array.from({ length: 50 }, (_, id) => ({ period: id * 10, id }))
  const firsts = Array.from({ length: 10 }, (_, i) => i * 50)
  let reads = 0
  const search = listed(positions, firsts, () => reads++)
  const readAfter = (stretches: number) => {
    reads = 0
    const options = { range: ALL, limit: 100, isTimeOver: () => reads >= stretches }
    return [scanPosts(search, MATCH, options), reads] as const
  }
  const [late, lateReads] = readAfter(0)
  expect([late.positions.length, late.cutAt, lateReads]).toEqual([5, { period: 450, id: 0 }, 1])
  const [some, someReads] = readAfter(3)
  expect([some.positions.length, some.cutAt, someReads]).toEqual([15, { period: 350, id: 0 }, 3])
  const [all] = readAfter(100)
  expect([all.positions.length, all.cutAt]).toEqual([50, undefined])
  reads = 0
  expect(countPosts(search, MATCH, { range: ALL, limit: 100, isTimeOver: () => reads >= 4 })).toBe(
    20,
  )
  expect(countPosts(search, MATCH, { range: ALL, limit: 100, isTimeOver: () => false })).toBe(50)
})
