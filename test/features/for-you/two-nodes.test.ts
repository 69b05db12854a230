// Two nodes that read the same stream, each from another host and with a salt of its own, choose nearly the same for a
// member: the order of arrival, repeats and hashes change only what is close to the page's end.

import { expect, test } from 'vitest'
import { createState } from '../../../src/features/for-you/engine/layout.ts'
import { TUNING } from '../../../src/features/for-you/engine/recommend.ts'
import { createRandom, type Random } from '../../support/random.ts'
import { ownLikes, randomLikes, recommended, tell } from './likes-world.ts'
import type { PlainLike } from './naive-likes.ts'

const SIZE = { people: 400, posts: 3000, members: 12, minutes: 1400 }
const PAGE = 50

/** As another host sends it: others first at times, and some twice. */
function elsewhere(likes: readonly PlainLike[], random: Random): PlainLike[] {
  const order = likes.map((like, i) => ({ like, at: i + random.below(20) }))
  const late = likes.flatMap((like, i) => (random.chance(0.05) ? [{ like, at: i + 25 }] : []))
  return [...order, ...late].sort((a, b) => a.at - b.at).map(({ like }) => like)
}

function nodeOf(likes: readonly PlainLike[], salt: number) {
  const state = createState(8 << 20, salt)
  for (const like of likes) tell(state, like)
  return (reader: number, own: readonly PlainLike[]) =>
    recommended(state, reader, own, { limit: PAGE, tuning: TUNING }).map(({ id }) => id)
}

test.each([1, 2, 3])('of a member’s page, more than nine in ten are the same (seed %i)', (seed) => {
  const random = createRandom(seed)
  const likes = randomLikes(random, 12_000, SIZE)
  const run = nodeOf(likes, 1234)
  const other = nodeOf(elsewhere(likes, random), 98765)
  let [same, all] = [0, 0]
  for (let reader = 0; reader < SIZE.members; reader++) {
    const own = ownLikes(likes, reader)
    const page = new Set(run(reader, own))
    expect(page.size).toBe(PAGE)
    for (const id of other(reader, own)) if (page.has(id)) same++
    all += PAGE
  }
  expect(same / all).toBeGreaterThan(0.92)
})
