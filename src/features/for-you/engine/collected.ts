// What the chosen co-likers liked of late, read once from the logs, which are large and scattered, and then gone over
// twice: for what two of them have in common, and for their votes.

import { H, type State } from './layout.ts'
import { ageOf } from './minutes.ts'
import { eachLiked } from './walk.ts'

export type Collected = {
  posts: Int32Array
  /** Ages of the likes in minutes. */
  ages: Uint16Array
  /** Where the likes are counted among candidates; -1: not. */
  slots: Int32Array
  /** Where the likes of each begin, and where those of the last one end. */
  starts: Int32Array
}

export function createCollected(accounts: number, likes: number): Collected {
  return {
    posts: new Int32Array(likes),
    ages: new Uint16Array(likes),
    slots: new Int32Array(likes),
    starts: new Int32Array(accounts + 1),
  }
}

/** Accounts read in one step. */
const A_STEP = 250

/** @param limits - likes of each account that are read, and their age in minutes */
export function* collect(
  state: State,
  { posts, ages, starts }: Collected,
  users: readonly number[],
  { each, window }: { each: number; window: number },
): Generator<void, void> {
  const now = state.header[H.now]!
  let count = 0
  for (const [i, user] of users.entries()) {
    starts[i] = count
    if (i % A_STEP === A_STEP - 1) yield
    eachLiked(state, user, Math.min(each, posts.length - count), (post, minute) => {
      const age = ageOf(minute, now)
      if (age > window) return false
      posts[count] = post
      ages[count++] = age
      return true
    })
  }
  starts[users.length] = count
}
