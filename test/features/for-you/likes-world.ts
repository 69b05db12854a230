// Random likes for the engine: small communities with tastes, members among them, repeats and one who likes all.

import { hear } from '../../../src/features/for-you/engine/hear.ts'
import type { State } from '../../../src/features/for-you/engine/layout.ts'
import { findPost, keyOfPost, type PostKey } from '../../../src/features/for-you/engine/posts.ts'
import {
  createScratch,
  type Liked,
  recommend,
  TUNING,
  type Tuning,
} from '../../../src/features/for-you/engine/recommend.ts'
import { findUser, fingerprintOf } from '../../../src/features/for-you/engine/users.ts'
import type { Random } from '../../support/random.ts'
import type { PlainLike } from './naive-likes.ts'

export const START_MS = Date.UTC(2026, 5, 1)
const TASTES = 5

export const didWords = (account: number) => Int32Array.of(account, 1, 2, 3)

export const postKey = (post: number, author: number): PostKey => ({
  did: didWords(author),
  top: 2 ** 20,
  bottom: post,
})

export type LikesSize = { people: number; posts: number; members: number; minutes: number }

/** Likes in order of time, some of them twice. */
export function randomLikes(random: Random, count: number, size: LikesSize): PlainLike[] {
  const likes: PlainLike[] = []
  for (let i = 0; i < count; i++) {
    const before = random.chance(0.05) ? likes.at(-1) : undefined
    const liker = before?.liker ?? random.zipf(size.people)
    const post = before?.post ?? postFor(random, liker, size)
    const timeMs = START_MS + Math.floor((i / count) * size.minutes * 60_000)
    likes.push({ liker, post, author: 1000 + (post % 17), timeMs, isMembers: liker < size.members })
  }
  return likes
}

function postFor(random: Random, liker: number, { posts }: LikesSize): number {
  const post = random.zipf(posts)
  return random.chance(0.8) ? post - (post % TASTES) + (liker % TASTES) : post
}

export function tell(
  state: State,
  { liker, post, author, timeMs, isMembers }: PlainLike,
  isPast = false,
): boolean {
  const like = { liker: didWords(liker), post: postKey(post, author), timeMs, isMembers }
  return hear(state, { ...like, isPast })
}

/** The likes of one account, newest first. */
export function ownLikes(likes: readonly PlainLike[], reader: number): PlainLike[] {
  const own = new Map<number, PlainLike>()
  for (const like of likes)
    if (like.liker === reader && !own.has(like.post)) own.set(like.post, like)
  return [...own.values()].reverse()
}

/** Every account is a voice of its own. */
export const SINGLE = { ...TUNING, alike: 2, choir: [1, 0] as const }

/** What the engine recommends, by number of the post. */
export function recommended(
  state: State,
  reader: number,
  own: readonly PlainLike[],
  { limit = 500, tuning = SINGLE }: { limit?: number; tuning?: Tuning } = {},
) {
  const liked: Liked[] = own.map(({ post, author, timeMs }) => ({
    post: findPost(state, postKey(post, author)),
    timeMs,
  }))
  const slot = findUser(state, fingerprintOf(state, didWords(reader)))
  const found = recommend(state, createScratch(tuning), { liked, limit, reader: slot, tuning })
  return found.map(({ post, ...rest }) => ({ id: keyOfPost(state, post).bottom, ...rest }))
}
