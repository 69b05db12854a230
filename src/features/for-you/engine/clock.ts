// The engine's clock goes by minutes and only forward, by the times of the likes that it hears. With each
// minute it drops what is too old, and looks at a part of the slots, so that each is looked at once a day:
// shortened times would begin to look new again after 45 days.

import { H, type Log, P, POST_WORDS, type State, U, USER_WORDS } from './layout.ts'
import { dropOlder } from './log.ts'
import { ageOf, DAY_MINUTES, shortened } from './minutes.ts'
import { isAnchor } from './posts.ts'
import { credit } from './users.ts'

/** Nothing outlasts this. */
const OLDEST = 30 * DAY_MINUTES

export function advanceClock(state: State, minute: number): void {
  const { header } = state
  const before = header[H.now]!
  if (minute <= before) return
  header[H.now] = minute
  if (before === 0) return
  if (minute - before > OLDEST) return clear(state)
  sweep(state, minute - before)
  dropOlder(state, state.recent, OLDEST)
  dropOlder(state, state.lasting, OLDEST)
}

/** After a month in which nothing was heard, nothing is worth anything. */
function clear(state: State): void {
  const empty = (log: Log) => {
    state.header[log.tail] = state.header[log.head]! + 1
  }
  empty(state.recent)
  empty(state.lasting)
  sweep(state, DAY_MINUTES, true)
}

function sweep(state: State, minutes: number, isAll = false): void {
  const { header, capacities } = state
  const part = Math.min(1, minutes / DAY_MINUTES)
  const posts = Math.ceil(capacities.posts * part)
  for (let i = 0; i < posts; i++) {
    const slot = (header[H.sweptPost]! + 1) % capacities.posts
    header[H.sweptPost] = slot
    sweepPost(state, slot, isAll)
  }
  const users = Math.ceil(capacities.users * part)
  for (let i = 0; i < users; i++) {
    const slot = (header[H.sweptUser]! + 1) % capacities.users
    header[H.sweptUser] = slot
    sweepUser(state, slot, isAll)
  }
}

function sweepPost(state: State, slot: number, isAll: boolean): void {
  const { posts, header } = state
  const at = slot * POST_WORDS
  if (posts[at + P.rkey] === 0) return
  if (!isAnchor(state, slot)) posts[at + P.minutes]! &= 0xffff
  const isOld = ageOf(posts[at + P.minutes]! & 0xffff, header[H.now]!) > OLDEST
  if (isAll || isOld) posts[at + P.rkey] = 0
}

function sweepUser(state: State, slot: number, isAll: boolean): void {
  const { users, userFloats, header } = state
  const at = slot * USER_WORDS
  if (users[at] === 0) return
  const isOld = ageOf(users[at + U.minutes]! & 0xffff, header[H.now]!) > OLDEST
  if (isAll || isOld) users[at] = 0
  else if (userFloats[at + U.weight]! > 0) credit(state, slot, 0)
}

/** The clock as the shortened minute of what is heard now. */
export function thisMinute({ header }: State): number {
  return shortened(header[H.now]!)
}
