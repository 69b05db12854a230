// Rings: accounts that like what a reader likes, to be found by them, and each other's posts. They are one voice, and
// what the same accounts like again and again counts less and less.

import { describe, expect, test } from 'vitest'
import { createState } from '../../../src/features/for-you/engine/layout.ts'
import { TUNING } from '../../../src/features/for-you/engine/recommend.ts'
import { createRandom, type Random } from '../../support/random.ts'
import { recommended, SINGLE, START_MS, tell } from './likes-world.ts'
import type { PlainLike } from './naive-likes.ts'

const READER = 1
const HONEST = 10
const RING = 1000
const RING_POST = 5000
const SHARED = 12
const MINUTE_MS = 60_000
const LAST_MS = START_MS + 300 * MINUTE_MS

type World = { state: ReturnType<typeof createState>; own: PlainLike[] }

/** Each of the reader's posts is liked by about a third of the honest, who like one in ten of 200 others, too. */
function world(random: Random, ring: { size: number; posts: number; noise: number }): World {
  const likes: PlainLike[] = []
  const like = (liker: number, post: number) => {
    const timeMs = START_MS + random.below(300) * MINUTE_MS
    likes.push({ liker, post, author: post, timeMs, isMembers: liker === READER })
  }
  const shared = Array.from({ length: SHARED }, (_, i) => i)
  for (const post of shared) like(READER, post)
  for (let i = 0; i < 30; i++) {
    for (const post of shared) if (random.below(3) === 0) like(HONEST + i, post)
    for (let post = 100; post < 300; post++) if (random.below(10) === 0) like(HONEST + i, post)
  }
  for (let i = 0; i < ring.size; i++) {
    for (const post of shared) like(RING + i, post)
    for (let k = 0; k < ring.posts; k++) like(RING + i, RING_POST + k)
    for (let k = 0; k < ring.noise; k++) like(RING + i, 9000 + random.below(4000))
  }
  const state = createState(8 << 20, 1)
  likes.sort((a, b) => a.timeMs - b.timeMs)
  for (const like of likes) tell(state, like)
  return { state, own: likes.filter(({ liker }) => liker === READER) }
}

function ringPostsIn({ state, own }: World, tuning = TUNING): number {
  const found = recommended(state, READER, own, { limit: 30, tuning })
  return found.filter(({ id }) => id >= RING_POST && id < 9000).length
}

describe.each([1, 2, 3])('of a page of 30, seed %i', (seed) => {
  test('a ring gets less than a tenth, where it would have nearly all', () => {
    const item = world(createRandom(seed), { size: 25, posts: 40, noise: 0 })
    expect(ringPostsIn(item, SINGLE)).toBeGreaterThan(20)
    expect(ringPostsIn(item)).toBeLessThan(3)
  })

  test('noise hides the voices, and still the choir is heard but a few times', () => {
    const item = world(createRandom(seed), { size: 25, posts: 12, noise: 40 })
    const without = ringPostsIn(item, SINGLE)
    expect(without).toBeGreaterThan(10)
    expect(ringPostsIn(item)).toBeLessThan(without / 2)
  })

  test('without a ring, the rules change next to nothing', () => {
    const item = world(createRandom(seed), { size: 0, posts: 0, noise: 0 })
    const ids = (tuning = TUNING) =>
      recommended(item.state, READER, item.own, { limit: 30, tuning }).map(({ id }) => id)
    const before = new Set(ids(SINGLE))
    expect(ids().filter((id) => !before.has(id)).length).toBeLessThan(3)
  })
})

test('what accounts of a claque like of others’ posts weighs as if one of them liked it', () => {
  const scoreOf = (size: number, tuning = TUNING) => {
    const random = createRandom(9)
    const { state, own } = world(random, { size, posts: 8, noise: 40 })
    const good = 250
    for (let i = 0; i < size; i++) {
      tell(state, { liker: RING + i, post: good, author: good, timeMs: LAST_MS, isMembers: false })
    }
    const found = recommended(state, READER, own, { tuning })
    return found.find(({ id }) => id === good)!.score
  }
  const apart = { ...TUNING, alike: 2 }
  expect(scoreOf(25, { ...apart, choir: SINGLE.choir }) / scoreOf(0)).toBeGreaterThan(3)
  expect(scoreOf(25, apart) / scoreOf(0)).toBeLessThan(2)
})

test('accounts that like the same weigh as much as one of them', () => {
  const twins = (count: number) => {
    const state = createState(8 << 20, 1)
    const likes: PlainLike[] = []
    for (let liker = 0; liker <= count; liker++) {
      for (let post = 0; post < 20; post++) {
        const isMembers = liker === 0
        if (isMembers && post >= 8) continue
        likes.push({ liker, post, author: post, timeMs: START_MS, isMembers })
      }
    }
    for (const like of likes) tell(state, like)
    const own = likes.filter(({ liker }) => liker === 0)
    // What a post's own likes take from it would hide what is tested.
    const tuning = { ...SINGLE, alike: TUNING.alike, postPower: 0 }
    return recommended(state, 0, own, { tuning }).map(({ score }) => score)
  }
  const { spareLikes } = TUNING
  const selectivity = Math.log2(spareLikes + 11) / Math.log2(spareLikes + 2)
  for (const score of twins(10)) expect(score / twins(1)[0]!).toBeCloseTo(1 / selectivity, 1)
  expect(twins(10)).toHaveLength(12)
})
