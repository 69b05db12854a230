// Goes back along the likes of a post or of an account: first in the recent log, then in the lasting one, whose
// likes are older. A reader on another thread may meet a half-written like; it then ends early or meets a slot
// of another key, which the generation in the like shows.

import { type Log, P, POST_WORDS, type State, U, USER_WORDS } from './layout.ts'
import { beforeByPost, beforeByUser, headOf, indexOf, postAt, tailOf, userAt } from './log.ts'
import { postOfRef, refOfPost } from './posts.ts'
import { refOfUser, userOfRef } from './users.ts'

/** Called with a slot and the shortened minute of the like. @returns false to stop */
type Visit = (slot: number, minute: number) => boolean

/** @returns how many likes were looked at */
export function eachLiker(state: State, post: number, limit: number, visit: Visit): number {
  const at = post * POST_WORDS
  const ref = refOfPost(state, post)
  const recent = state.posts[at + P.recentHead]! >>> 0
  const seen = likersIn(state, state.recent, { ref, number: recent, limit, visit })
  const lasting = state.posts[at + P.lastingHead]! >>> 0
  return seen + likersIn(state, state.lasting, { ref, number: lasting, limit: limit - seen, visit })
}

/** @returns how many likes were looked at */
export function eachLiked(state: State, user: number, limit: number, visit: Visit): number {
  const at = user * USER_WORDS
  const ref = refOfUser(state, user)
  const recent = state.users[at + U.recentHead]! >>> 0
  const seen = likedIn(state, state.recent, { ref, number: recent, limit, visit })
  const lasting = state.users[at + U.lastingHead]! >>> 0
  return seen + likedIn(state, state.lasting, { ref, number: lasting, limit: limit - seen, visit })
}

type Chain = { ref: number; number: number; limit: number; visit: Visit }

function likersIn(state: State, log: Log, { ref, number, limit, visit }: Chain): number {
  const [tail, head] = [tailOf(state, log), headOf(state, log)]
  let seen = 0
  for (let next = number; seen < limit && next >= tail && next <= head; seen++) {
    const index = indexOf(log, next)
    if (postAt(log, index) !== ref) return seen
    const user = userOfRef(state, userAt(log, index))
    if (user >= 0 && !visit(user, log.minutes[index]!)) return limit
    next = beforeByPost(log, index)
  }
  return seen
}

function likedIn(state: State, log: Log, { ref, number, limit, visit }: Chain): number {
  const [tail, head] = [tailOf(state, log), headOf(state, log)]
  let seen = 0
  for (let next = number; seen < limit && next >= tail && next <= head; seen++) {
    const index = indexOf(log, next)
    if (userAt(log, index) !== ref) return seen
    const post = postOfRef(state, postAt(log, index))
    if (post >= 0 && !visit(post, log.minutes[index]!)) return limit
    next = beforeByUser(log, index)
  }
  return seen
}
