import { afterEach, expect, test, vi } from 'vitest'
import { countPosts, scanPosts } from '../../../src/answers/skeleton/search/post-scan.ts'
import type { PlaceRange, PostPlace, PostSearch } from '../../../src/data/store/read/post-search.ts'
import { createRandom } from '../../support/random.ts'
import { testSeed } from '../../support/seed.ts'

afterEach(() => {
  vi.useRealTimers()
})

const ALL: PlaceRange = { from: { period: 0, id: 0 }, below: { period: 2 ** 31 - 1, id: 0 } }
const numberOf = ({ period, id }: PostPlace) => period * 2 ** 20 + id

/** A plain list instead of the index; each lookup takes `tookMs` on the clock. */
function listed(places: PostPlace[], tookMs: () => number): PostSearch {
  const inRange = ({ from, below }: PlaceRange) => {
    vi.advanceTimersByTime(tookMs())
    return places
      .filter((one) => numberOf(one) >= numberOf(from) && numberOf(one) < numberOf(below))
      .sort((a, b) => numberOf(b) - numberOf(a))
  }
  const periods = places.map(({ period }) => period)
  return {
    places: (_match, range, limit) => inRange(range).slice(0, limit),
    count: (_match, range, limit) => Math.min(inRange(range).length, limit),
    ends: () =>
      places.length > 0
        ? { oldest: Math.min(...periods), newest: Math.max(...periods) }
        : undefined,
    posts: () => [],
  }
}

test('at any speed, resuming where it was cut off reads everything once, in order', () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const random = createRandom(testSeed('scanPosts'))
  for (let round = 0; round < 60; round++) {
    const spread = random.pick([10, 5_000, 2_000_000])
    const places = Array.from({ length: random.below(80) }, (_, id) => {
      return { period: 1_000_000_000 + random.below(spread), id: id + 1 }
    })
    const search = listed(places, () => random.pick([0, 3, 20, 100]))
    const found: PostPlace[] = []
    let below: PostPlace | undefined = ALL.below
    for (let turns = 0; below; turns++) {
      expect(turns).toBeLessThan(10_000)
      const scan = scanPosts(search, '', { range: { ...ALL, below }, limit: 1_000 })
      found.push(...scan.places)
      below = scan.cutAt
    }
    expect(found).toEqual([...places].sort((a, b) => numberOf(b) - numberOf(a)))
  }
})

test('it stops soon after its time is up, and not before', () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const places = Array.from({ length: 50 }, (_, id) => ({ period: id * 100_000, id }))
  const startedAt = performance.now()
  const range = { range: ALL, limit: 100 }
  expect(
    scanPosts(
      listed(places, () => 15),
      '',
      range,
    ).cutAt,
  ).toBeDefined()
  expect(performance.now() - startedAt).toBeLessThanOrEqual(60)
  expect(
    countPosts(
      listed(places, () => 15),
      '',
      range,
    ),
  ).toBeLessThan(50)
  expect(
    scanPosts(
      listed(places, () => 1),
      '',
      range,
    ),
  ).toMatchObject({ cutAt: undefined })
  expect(
    countPosts(
      listed(places, () => 1),
      '',
      range,
    ),
  ).toBe(50)
  const patient = scanPosts(
    listed(places, () => 15),
    '',
    { ...range, maxWaitMs: Infinity },
  )
  expect(patient.places).toHaveLength(50)
})
