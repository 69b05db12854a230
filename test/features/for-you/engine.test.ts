// The engine beside a model that keeps everything: the same posts, counts and scores as long as there is room, and
// never more than the model where there is not.

import { describe, expect, test } from 'vitest'
import { hear } from '../../../src/features/for-you/engine/hear.ts'
import { createState, H } from '../../../src/features/for-you/engine/layout.ts'
import { createRandom } from '../../support/random.ts'
import {
  didWords,
  type LikesSize,
  ownLikes,
  postKey,
  randomLikes,
  recommended,
  START_MS,
  tell,
} from './likes-world.ts'
import { NaiveLikes } from './naive-likes.ts'

const ROOMY = 8 << 20
const SIZE: LikesSize = { people: 60, posts: 90, members: 4, minutes: 3000 }
const SEEDS = [1, 2, 3, 4, 5, 6]

function play(seed: number, count: number, { bytes = ROOMY, size = SIZE } = {}) {
  const random = createRandom(seed)
  const likes = randomLikes(random, count, size)
  const [state, model] = [createState(bytes, seed), new NaiveLikes()]
  for (const like of likes) {
    tell(state, like)
    model.hear(like)
  }
  return { state, model, likes }
}

describe('with room for everything', () => {
  test.each(SEEDS)('it recommends what the model does (seed %i)', (seed) => {
    const { state, model, likes } = play(seed, 900)
    for (let reader = 0; reader < 8; reader++) {
      const own = ownLikes(likes, reader)
      const expected = model.recommend(reader, own)
      const found = recommended(state, reader, own)
      expect(new Set(found.map(({ id }) => id))).toEqual(new Set(expected.keys()))
      for (const { id, score, votes, shared } of found) {
        const item = expected.get(id)!
        expect({ votes, shared }).toEqual({ votes: item.votes, shared: item.shared })
        expect(score / item.score).toBeCloseTo(1, 1)
      }
    }
  })

  test.each(SEEDS)('what is told afterwards counts as of its time (seed %i)', (seed) => {
    const size = { ...SIZE, minutes: 600 }
    const seen = new Set<string>()
    const likes = randomLikes(createRandom(seed), 900, size).filter(({ liker, post }) => {
      const isNew = !seen.has(`${liker} ${post}`)
      seen.add(`${liker} ${post}`)
      return isNew
    })
    const [state, late] = [createState(ROOMY, seed), createState(ROOMY, seed)]
    for (const like of likes) tell(state, like)
    const half = likes.length >> 1
    for (const like of likes.slice(half)) tell(late, like)
    for (const like of likes.slice(0, half)) tell(late, like, true)
    for (let reader = 0; reader < 8; reader++) {
      const own = ownLikes(likes, reader)
      const inOrder = new Map(recommended(state, reader, own).map((item) => [item.id, item]))
      const found = recommended(late, reader, own)
      expect(new Set(found.map(({ id }) => id))).toEqual(new Set(inOrder.keys()))
      for (const { id, score, votes, shared } of found) {
        const item = inOrder.get(id)!
        expect({ votes, shared }).toEqual({ votes: item.votes, shared: item.shared })
        // An account's latest likes halve its earlier ones, which are not known yet.
        expect(Math.abs(Math.log2(score / item.score))).toBeLessThan(0.2)
      }
    }
  })

  test('the best come first, and none twice', () => {
    const { state, likes } = play(7, 900)
    const found = recommended(state, 1, ownLikes(likes, 1))
    expect(found.length).toBeGreaterThan(20)
    expect(found.map(({ score }) => score)).toEqual(
      found.map(({ score }) => score).sort((a, b) => b - a),
    )
    expect(new Set(found.map(({ id }) => id)).size).toBe(found.length)
  })

  test('a like changes the next page at once', () => {
    const state = createState(ROOMY, 1)
    const like = (liker: number, post: number, minute = 0) =>
      hear(state, {
        liker: didWords(liker),
        post: postKey(post, 1),
        timeMs: START_MS + minute * 60_000,
        isMembers: liker === 0,
      })
    for (const liker of [1, 2, 3]) like(liker, 10)
    for (const liker of [1, 2]) like(liker, 11, 1)
    const own = [{ liker: 0, post: 10, author: 1, timeMs: START_MS, isMembers: true }]
    expect(recommended(state, 0, []).length).toBe(0)
    like(0, 10, 2)
    expect(recommended(state, 0, own)).toMatchObject([{ id: 11, votes: 2, shared: 1 }])
    like(3, 11, 3)
    expect(recommended(state, 0, own)).toMatchObject([{ id: 11, votes: 3, shared: 1 }])
  })
})

test('where co-likers are few, more of what each likes is looked at', () => {
  const state = createState(ROOMY, 1)
  const like = (liker: number, post: number) =>
    tell(state, { liker, post, author: post, timeMs: START_MS, isMembers: liker === 0 })
  for (const liker of [0, 1, 2]) like(liker, 5000)
  for (let post = 0; post < 400; post++) for (const liker of [1, 2]) like(liker, post)
  const own = [{ liker: 0, post: 5000, author: 5000, timeMs: START_MS, isMembers: true }]
  expect(recommended(state, 0, own)).toHaveLength(400)
})

describe('hostile likers', () => {
  test('what somebody liked who likes everything is taken back', () => {
    const { state, likes } = play(3, 600)
    const own = ownLikes(likes, 0)
    const before = recommended(state, 0, own)
    const timeMs = likes.at(-1)!.timeMs
    for (let post = 0; post < 1500; post++) {
      tell(state, { liker: 700, post, author: 1000 + (post % 17), timeMs, isMembers: false })
    }
    expect(recommended(state, 0, own)).toEqual(before)
  })

  test('a ring that shares nothing with a reader is never seen by them', () => {
    const { state, likes } = play(4, 600)
    const timeMs = likes.at(-1)!.timeMs
    for (let liker = 800; liker < 830; liker++) {
      for (let post = 5000; post < 5030; post++) {
        tell(state, { liker, post, author: liker, timeMs, isMembers: false })
      }
    }
    const found = recommended(state, 1, ownLikes(likes, 1))
    expect(found.filter(({ id }) => id >= 5000)).toEqual([])
  })
})

describe('with too little room', () => {
  /** Within the window in which likes count, so that a like that comes again late changes nothing. */
  const LARGE: LikesSize = { people: 4000, posts: 9000, members: 20, minutes: 2800 }

  test.each(SEEDS)('it finds no more than the model, in bounded memory (seed %i)', (seed) => {
    const bytes = 120_000
    const { state, model, likes } = play(seed, 12_000, { bytes, size: LARGE })
    expect(state.buffer.byteLength).toBeLessThanOrEqual(bytes + 1024)
    expect(state.header[H.heard]).toBe(12_000)
    expect(state.header[H.lostPosts]).toBeGreaterThan(0)
    const own = ownLikes(likes, 1)
    const expected = model.recommend(1, own)
    const found = recommended(state, 1, own)
    expect(found.length).toBeGreaterThan(0)
    for (const { id, votes } of found) {
      expect(votes).toBeLessThanOrEqual(expected.get(id)?.votes ?? 0)
    }
  })

  test('members’ posts and those like them stay while others go', () => {
    const { state, model, likes } = play(11, 20_000, { bytes: 400_000, size: LARGE })
    const best = [...model.recommend(1, ownLikes(likes, 1))]
      .sort((a, b) => b[1].score - a[1].score)
      .slice(0, 20)
      .map(([id]) => id)
    const found = new Set(
      recommended(state, 1, ownLikes(likes, 1), { limit: 60 }).map(({ id }) => id),
    )
    expect(best.filter((id) => found.has(id)).length).toBeGreaterThan(10)
  })

  test.each([1, 3, 12])('%i MB are divided without a rest', (megabytes) => {
    const bytes = Math.min(megabytes << 20, 12 << 20)
    const { byteLength } = createState(bytes, 1).buffer
    expect(byteLength).toBeLessThanOrEqual(bytes + 1024)
    expect(byteLength).toBeGreaterThan(bytes * 0.98)
  })
})

describe('time', () => {
  test('a clock that goes back changes nothing, and a month of silence forgets all', () => {
    const { state, likes } = play(5, 500)
    const own = ownLikes(likes, 1)
    const before = recommended(state, 1, own)
    tell(state, { ...likes[0]!, timeMs: START_MS - 86_400_000 })
    expect(recommended(state, 1, own)).toEqual(before)
    const later = START_MS + 60 * 86_400_000
    tell(state, { liker: 2, post: 1, author: 1, timeMs: later, isMembers: false })
    expect(recommended(state, 1, own)).toEqual([])
  })

  test('what is older than a month goes, minute by minute, and stays gone', () => {
    const state = createState(1 << 20, 1)
    const at = (day: number) => START_MS + day * 86_400_000
    const say = (liker: number, post: number, day: number, isMembers = false) =>
      tell(state, { liker, post, author: 1, timeMs: at(day), isMembers })
    say(5, 1, 0)
    say(0, 1, 0, true)
    for (let day = 1; day < 100; day++) {
      say(6, 1000 + day, day)
      say(5, 2000 + day, day)
    }
    const own = [{ liker: 0, post: 1, author: 1, timeMs: at(0), isMembers: true }]
    expect(recommended(state, 0, own)).toEqual([])
  })
})
