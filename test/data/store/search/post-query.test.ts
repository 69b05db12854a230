import { expect, test } from 'vitest'
import { matchIn, matchOf, parsePostQuery } from '../../../../src/data/store/search/post-query.ts'
import { createRandom, type Random } from '../../../support/random.ts'
import { testSeed } from '../../../support/seed.ts'

const MAX_WORDS = 32
const NO_FILTER = { groups: [], none: [] }

/** The words that reach the index, each as often as it is read there. */
function wordsRead(q: string): string[] {
  const match = matchIn([1], matchOf(parsePostQuery(q), NO_FILTER)!)
  const phrases = Array.from(match.matchAll(/"([^"]*)"/g), ([, phrase]) => phrase!)
  const words = phrases.flatMap((phrase) => phrase.split(' ')).map((word) => word.slice(2))
  return words.filter((word) => word !== ':x')
}

const WORDS = ['the', 'and', 'of', 'zebra', 'lamp', '猫カフェに行き', 'a-b-c-d-e', 'Ünder', '12']

function somePiece(random: Random): string {
  const words = Array.from({ length: 1 + random.below(12) }, () => random.pick(WORDS)).join(' ')
  return random.pick([words, `"${words}"`, `-"${words}"`, `-${random.pick(WORDS)}`])
}

test('a query of any form has a bounded number of words in sum', () => {
  const random = createRandom(testSeed('words of a query'))
  let most = 0
  for (let i = 0; i < 500; i++) {
    const q = Array.from({ length: 1 + random.below(40) }, () => somePiece(random)).join(' ')
    const count = wordsRead(q).length
    expect(count, q).toBeLessThanOrEqual(MAX_WORDS)
    most = Math.max(most, count)
  }
  expect(most).toBe(MAX_WORDS)
})

test('a repeated word or phrase counts once, so that later ones still count', () => {
  expect(wordsRead(`${'the and '.repeat(60)}zebra`)).toEqual(['the', 'and', 'zebra'])
  expect(wordsRead(`${'"the lamp" -of '.repeat(30)}zebra`)).toEqual(['the', 'lamp', 'zebra', 'of'])
})

test('a repeated condition is looked up once', () => {
  const languages = Array.from({ length: 25 }, () => ':len')
  const match = matchOf(parsePostQuery('zebra'), { groups: [languages], none: languages })!
  expect(matchIn([1], match).match(/:len/g)).toHaveLength(2)
})
