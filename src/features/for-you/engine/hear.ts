// Takes in one like. The rule of what is kept, the same for one member and for ten thousand:
//   - of accounts that like more than anybody chooses, nothing;
//   - into the recent log go members' likes, likes of what members liked (anchors), likes by accounts of at
//     least the threshold's rank, and of all others those of a sample of accounts, by their hash;
//   - what the recent log has no room for goes on to the lasting log by the same rule without the sample.

import { advanceClock, thisMinute } from './clock.ts'
import { EVERYONE, H, type Log, P, POST_WORDS, type State, U, USER_WORDS } from './layout.ts'
import {
  append,
  beforeByPost,
  beforeByUser,
  headOf,
  indexOf,
  makeNobodys,
  nextToGo,
  postAt,
  tailOf,
  userAt,
} from './log.ts'
import { minuteOf, shortened } from './minutes.ts'
import { paceLasting, paceRecent } from './pacing.ts'
import {
  addPost,
  countLike,
  discountLike,
  findPost,
  isAnchor,
  likesOfPost,
  makeAnchor,
  type PostKey,
  postOfRef,
  refOfPost,
} from './posts.ts'
import {
  addUser,
  countLikeBy,
  credit,
  type Fingerprint,
  findUser,
  fingerprintOf,
  isIndifferent,
  rankOf,
  refOfUser,
  userOfRef,
} from './users.ts'

export type Like = {
  /** Words of the account's did:plc (data/graph/did-words.ts). */
  liker: Int32Array
  post: PostKey
  /** Milliseconds since 1970. */
  timeMs: number
  isMembers: boolean
  /** It is told afterwards: its time counts, not when it is heard. */
  isPast?: boolean
}

/** Of an account's latest likes, how many are compared to recognise one that comes twice. */
const RECOGNISED = 32
/** Of the likers of a post that a member likes, how many are credited. */
const CREDITED = 256
/** Numbers of likes end here, and the logs begin anew. */
const LAST_NUMBER = 2 ** 32 - 2

/** @returns whether the like was kept */
export function hear(state: State, like: Like): boolean {
  const { header } = state
  advanceClock(state, minuteOf(like.timeMs))
  header[H.heard] = (header[H.heard]! + 1) | 0
  const print = fingerprintOf(state, like.liker)
  let post = findPost(state, like.post)
  let user = findUser(state, print)
  if (post >= 0 && user >= 0 && isKnown(state, user, post)) return false
  if (user >= 0 && !like.isMembers && isIndifferent(state, user)) {
    countLikeBy(state, user)
    return false
  }
  const isAnchors = post >= 0 && isAnchor(state, post)
  const isStored = like.isMembers || isAnchors || isWanted(state, user, print)
  if (isStored) {
    if (post < 0) post = addPost(state, like.post)
    if (user < 0) user = addUser(state, print)
  }
  if (post >= 0) countLike(state, post)
  if (user >= 0) countLikeBy(state, user)
  if (user >= 0 && !like.isMembers && isIndifferent(state, user)) {
    takeBack(state, user)
    return false
  }
  if (isStored) store(state, { user, post, minute: minuteIn(state, like) })
  if (isAnchors) credit(state, user, selectivityOf(state, post))
  if (like.isMembers) anchor(state, post)
  return isStored
}

/** Makes a post that a member liked connect its likers with the member. */
export function anchor(state: State, post: number): void {
  const isNew = !isAnchor(state, post)
  makeAnchor(state, post)
  if (isNew) creditLikers(state, post)
}

/** What one like of this post says about who liked it: less, the more did. */
function selectivityOf(state: State, post: number): number {
  return 1 / Math.log2(2 + likesOfPost(state, post))
}

function isWanted(state: State, user: number, print: Fingerprint): boolean {
  if (isSampled(state, print)) return true
  return user >= 0 && isRanked(state, user)
}

function isSampled({ header }: State, { low }: Fingerprint): boolean {
  const admitted = header[H.admitted]! >>> 0
  return admitted === EVERYONE || low >>> 0 < admitted
}

function isRanked(state: State, user: number): boolean {
  const rank = rankOf(state, user)
  return rank > 0 && rank >= state.headerFloats[H.threshold]!
}

/** Shortened. */
function minuteIn(state: State, { isPast, timeMs }: Like): number {
  return isPast ? shortened(Math.min(minuteOf(timeMs), state.header[H.now]!)) : thisMinute(state)
}

type HeardLike = { user: number; post: number; minute: number }

function store(state: State, like: HeardLike): void {
  freeSlot(state, state.recent)
  put(state, state.recent, like)
  paceRecent(state)
  state.header[H.stored] = (state.header[H.stored]! + 1) | 0
}

/** Moves the oldest recent like on to the lasting log if it is worth it. */
function freeSlot(state: State, recent: Log): void {
  if (headOf(state, recent) >= LAST_NUMBER) restart(state, recent)
  const index = nextToGo(state, recent)
  if (index === undefined) return
  const user = userOfRef(state, userAt(recent, index))
  const post = postOfRef(state, postAt(recent, index))
  if (user < 0 || post < 0) return
  const isAnchors = isAnchor(state, post)
  if (!isAnchors && !isRanked(state, user)) return
  put(state, state.lasting, { user, post, minute: recent.minutes[index]! })
  state.header[H.promoted] = (state.header[H.promoted]! + 1) | 0
  // Another threshold would change nothing about likes of anchors.
  if (!isAnchors) paceLasting(state)
}

function restart(state: State, log: Log): void {
  state.header[log.head] = 0
  state.header[log.tail] = 0
}

function put(state: State, log: Log, { user, post, minute }: HeardLike): void {
  const { posts, users } = state
  const isRecent = log === state.recent
  const ofUser = user * USER_WORDS + (isRecent ? U.recentHead : U.lastingHead)
  const ofPost = post * POST_WORDS + (isRecent ? P.recentHead : P.lastingHead)
  const number = append(state, log, {
    user: refOfUser(state, user),
    post: refOfPost(state, post),
    byUser: users[ofUser]!,
    byPost: posts[ofPost]!,
    minute,
  })
  users[ofUser] = number | 0
  posts[ofPost] = number | 0
}

/** Takes back all that an account liked, as if it never had. */
function takeBack(state: State, user: number): void {
  takeBackIn(state, state.recent, user)
  takeBackIn(state, state.lasting, user)
}

function takeBackIn(state: State, log: Log, user: number): void {
  const ref = refOfUser(state, user)
  const [tail, head] = [tailOf(state, log), headOf(state, log)]
  const at = user * USER_WORDS + (log === state.recent ? U.recentHead : U.lastingHead)
  let number = state.users[at]! >>> 0
  while (number >= tail && number <= head) {
    const index = indexOf(log, number)
    if (userAt(log, index) !== ref) return
    const post = postOfRef(state, postAt(log, index))
    if (post >= 0) discountLike(state, post)
    makeNobodys(log, index)
    number = beforeByUser(log, index)
  }
}

/** Whether the account's latest likes have this one already: streams repeat themselves. */
function isKnown(state: State, user: number, post: number): boolean {
  const { recent } = state
  const ref = refOfPost(state, post)
  const [tail, head] = [tailOf(state, recent), headOf(state, recent)]
  let number = state.users[user * USER_WORDS + U.recentHead]! >>> 0
  for (let i = 0; i < RECOGNISED && number >= tail && number <= head; i++) {
    const index = indexOf(recent, number)
    if (postAt(recent, index) === ref) return true
    number = beforeByUser(recent, index)
  }
  return false
}

function creditLikers(state: State, post: number): void {
  const { recent } = state
  const amount = selectivityOf(state, post)
  const [tail, head] = [tailOf(state, recent), headOf(state, recent)]
  let number = state.posts[post * POST_WORDS + P.recentHead]! >>> 0
  for (let i = 0; i < CREDITED && number >= tail && number <= head; i++) {
    const index = indexOf(recent, number)
    const user = userOfRef(state, userAt(recent, index))
    if (user >= 0) credit(state, user, amount)
    number = beforeByPost(recent, index)
  }
}
