import { describe, expect, test } from 'vitest'
import {
  createKeeps,
  type Draw,
  hashDraw,
  keepShare,
} from '../../../src/data/timeline/lossiness.ts'
import { createRandom } from '../../support/random.ts'

const LIMIT = 2_000
const TRIALS = 200_000

function keptOf(draw: Draw | undefined, follows: number): number {
  const graph = { followsCount: () => follows }
  const keeps = createKeeps({ graph, limit: LIMIT, draw })
  let kept = 0
  for (let i = 0; i < TRIALS; i++) if (keeps(1 + (i % 400), 2 * Math.floor(i / 400))) kept++
  return kept
}

/** Five standard deviations of a binomial: false alarms once in two million runs. */
function expectShare(kept: number, share: number): void {
  const deviation = Math.sqrt(TRIALS * share * (1 - share))
  expect(Math.abs(kept - TRIALS * share)).toBeLessThanOrEqual(5 * deviation)
}

const random = createRandom(42)
const sources: [string, Draw | undefined][] = [
  ['the hash of item and follower', undefined],
  ['an injected source', () => random.next()],
]

describe.each(sources)('with %s', (_, draw) => {
  test.each([1, 2, 4, 50])('an account at %i times the limit keeps its share', (times) => {
    expectShare(keptOf(draw, LIMIT * times), 1 / times)
  })
})

test('an account at or below the limit keeps everything, and the source is not asked', () => {
  const draw: Draw = () => {
    throw new Error('asked')
  }
  expect(keptOf(draw, LIMIT)).toBe(TRIALS)
  expect(keepShare(LIMIT, 3)).toBe(1)
})

test('the draw is the same for the same pair, and has nothing to do with other pairs', () => {
  expect(hashDraw(12, 34)).toBe(hashDraw(12, 34))
  // Neighbouring items for one follower, and neighbouring followers for one item, agree as often as
  // chance has it: at a share of 1/2 in half of the cases.
  const agreeing = (pair: (i: number) => [number, number]) => {
    let count = 0
    for (let i = 0; i < TRIALS; i++) {
      const [a, b] = pair(i)
      if (a < 0.5 === b < 0.5) count++
    }
    return count
  }
  expectShare(
    agreeing((i) => [hashDraw(2 * i, 5), hashDraw(2 * i + 2, 5)]),
    0.5,
  )
  expectShare(
    agreeing((i) => [hashDraw(77, i), hashDraw(77, i + 1)]),
    0.5,
  )
  expectShare(
    agreeing((i) => [hashDraw(i, i + 1), hashDraw(i + 1, i)]),
    0.5,
  )
})
