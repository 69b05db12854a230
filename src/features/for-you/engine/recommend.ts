// A reader's page: who liked what the reader liked (co-likers, by how selective both are and by time), then what
// these like now. Bounded whatever the reader and the network do: so many likes looked at, so many co-likers. It takes
// milliseconds, so it comes in steps, between which a serving thread may turn to others.

import { atOnce } from '../../../base/util/turn.ts'
import { type Choirs, createChoirs, hearVoice, nextVoice, quieten } from './choirs.ts'
import { type Claques, createClaques, hushClaques } from './claques.ts'
import { createSketches, joinVoices, type Sketches } from './clusters.ts'
import { type Collected, collect, createCollected } from './collected.ts'
import { H, type State } from './layout.ts'
import { DAY_MINUTES, decayed, minuteOf } from './minutes.ts'
import { authorOfPost, likesOfPost } from './posts.ts'
import { createSums, empty, findSlot, highest, type Sums, slotFor } from './scratch.ts'
import { activityOf, isIndifferent } from './users.ts'
import { eachLiker } from './walk.ts'

export type Liked = {
  /** Slot of a post; -1: unknown here. */
  post: number
  /** Milliseconds since 1970. */
  timeMs: number
}

export type Candidate = {
  /** Slot of the post. */
  post: number
  score: number
  /** How many co-likers liked it. */
  votes: number
  /** How many likes the closest of them shares with the reader. */
  shared: number
}

type Scratch = {
  people: Sums
  posts: Sums
  sketches: Sketches
  choirs: Choirs
  claques: Claques
  collected: Collected
}

export type Tuning = {
  /** Minutes in which a reader's like loses half of its weight. */
  readerHalfLife: number
  /** Minutes in which a co-liker's like does. */
  likeHalfLife: number
  /** Minutes after which a co-liker's like says nothing about now. */
  window: number
  coLikers: number
  /** Likes looked at of one post of the reader's, of all of them, and of one co-liker. */
  perPost: number
  inAll: number
  /** At least; more if co-likers are few. */
  perCoLiker: number
  /** Likes beyond those that a post has: how many like it counts less, and a ring's few likes change little. */
  spareLikes: number
  /** By how much a co-liker's own likes, and a candidate's, count against it: 0 not at all, 1 fully. */
  userPower: number
  postPower: number
  /** Shared likes at which a co-liker counts half. */
  trust: number
  /** The share of likes in common from which co-likers are one voice. */
  alike: number
  /** How many votes for a candidate are compared with those for others. */
  choir: readonly [fewest: number, most: number]
}

export const TUNING: Tuning = {
  readerHalfLife: 5 * DAY_MINUTES,
  likeHalfLife: DAY_MINUTES / 4,
  window: 2 * DAY_MINUTES,
  coLikers: 500,
  perPost: 128,
  inAll: 20_000,
  perCoLiker: 64,
  spareLikes: 40,
  userPower: 0.5,
  postPower: 0.15,
  trust: 2,
  alike: 0.45,
  choir: [4, 64],
}

/** Looked at beyond those asked for, since some fall. */
const FURTHER = 200
/** Co-likers, or those who stand in for them. */
const MOST_VOTERS = 1000
const MOST_LIKES_OF_ONE = 1000
const LIKES_A_STEP = 10_000
const VOTERS_A_STEP = 250
const PEOPLE_BITS = 15
const POST_BITS = 14

/** Working memory of a reading thread: about two megabytes, reused. */
export function createScratch({ coLikers, perCoLiker }: Tuning = TUNING): Scratch {
  return {
    people: createSums(PEOPLE_BITS),
    posts: createSums(POST_BITS),
    sketches: createSketches(coLikers),
    choirs: createChoirs(2 ** POST_BITS),
    claques: createClaques(POST_BITS),
    collected: createCollected(MOST_VOTERS, MOST_VOTERS * perCoLiker),
  }
}

type Options = {
  /** The reader's likes, newest first. */
  liked: readonly Liked[]
  limit: number
  /** Slot of the reader, who is nobody's own co-liker; -1: unknown. */
  reader: number
  tuning?: Tuning
}

/** The best candidates, best first, without what the reader liked. */
export function recommend(state: State, scratch: Scratch, options: Options): Candidate[] {
  return atOnce(recommending(state, scratch, options))
}

/** The same in steps. Until the last, nothing else may use `scratch`. */
export function* recommending(
  state: State,
  scratch: Scratch,
  { liked, limit, reader, tuning = TUNING }: Options,
): Generator<void, Candidate[]> {
  const { people, posts } = scratch
  empty(people)
  empty(posts)
  yield* findCoLikers(state, people, { liked, reader, tuning })
  weigh(state, people, tuning)
  const voters = highest(people, tuning.coLikers)
  yield
  yield* collectFrom(state, scratch, voters, tuning)
  joinVoices(scratch, voters, tuning.alike)
  yield
  yield* voteAll(scratch, voters, tuning)
  hushClaques(scratch, voters, { halfLife: tuning.likeHalfLife, size: tuning.choir })
  yield
  for (const { post } of liked) strike(posts, post)
  dampen(state, scratch, tuning)
  quieten(posts, scratch.choirs, { ranked: highest(posts, limit + FURTHER), size: tuning.choir })
  return best(posts, limit)
}

type VotersOptions = { users: readonly number[]; limit: number; tuning?: Tuning }

/** What these accounts like now, each with the same weight: for readers who have liked nothing yet. In steps. */
export function* likingNow(
  state: State,
  scratch: Scratch,
  { users, limit, tuning = TUNING }: VotersOptions,
): Generator<void, Candidate[]> {
  const { people, posts, claques } = scratch
  empty(people)
  empty(posts)
  for (const user of users) {
    const slot = slotFor(people, user)
    if (slot < 0) break
    people.scores[slot] = isIndifferent(state, user) ? 0 : 1
  }
  const voters = people.used.slice(0, Math.min(people.size, MOST_VOTERS))
  yield* collectFrom(state, scratch, voters, tuning)
  yield* voteAll(scratch, voters, tuning)
  claques.hushed.fill(0)
  dampen(state, scratch, tuning)
  return best(posts, limit)
}

function best(posts: Sums, limit: number): Candidate[] {
  return [...highest(posts, limit)].map((slot) => candidate(posts, slot)).filter(isAny)
}

function isAny({ score }: Candidate): boolean {
  return score > 0
}

function candidate({ keys, scores, counts, extras }: Sums, slot: number): Candidate {
  return {
    post: keys[slot]!,
    score: scores[slot]!,
    votes: counts[slot]!,
    shared: extras[slot]!,
  }
}

function* findCoLikers(
  state: State,
  people: Sums,
  { liked, reader, tuning }: { liked: readonly Liked[]; reader: number; tuning: Tuning },
): Generator<void, void> {
  const now = state.header[H.now]!
  let left = tuning.inAll
  let pauseAt = left - LIKES_A_STEP
  for (const { post, timeMs } of liked) {
    if (left <= 0) return
    if (post < 0) continue
    if (left < pauseAt) {
      pauseAt = left - LIKES_A_STEP
      yield
    }
    const age = Math.max(0, now - minuteOf(timeMs))
    const weight = decayed(age, tuning.readerHalfLife) / selectivity(state, post, tuning)
    const author = authorOfPost(state, post)
    const visit = (user: number) => {
      if (user !== reader) addShared(people, user, { post, weight, author })
      return true
    }
    left -= eachLiker(state, post, Math.min(left, tuning.perPost), visit)
  }
}

/** What one like of it says about who liked it: less, the more did. */
function selectivity(state: State, post: number, { spareLikes }: Tuning): number {
  return Math.log2(spareLikes + likesOfPost(state, post))
}

type SharedLike = { post: number; weight: number; author: number }

/** `extras` is the author of the first post shared; more of the same author count half. */
function addShared(people: Sums, user: number, by: SharedLike): void {
  const { post, weight, author } = by
  const slot = slotFor(people, user)
  if (slot < 0 || people.marks[slot] === post) return
  people.marks[slot] = post
  const isSame = people.counts[slot]! > 0 && people.extras[slot] === author
  if (people.counts[slot] === 0) people.extras[slot] = author
  people.scores[slot]! += isSame ? weight / 2 : weight
  people.counts[slot]!++
}

/** Turns sums into weights: less for one shared like than for many, and for those who like much. */
function weigh(state: State, people: Sums, { userPower, trust }: Tuning): void {
  const { scores, counts, keys, used, size } = people
  for (let i = 0; i < size; i++) {
    const slot = used[i]!
    const shared = counts[slot]!
    const user = keys[slot]!
    const likes = Math.max(activityOf(state, user), 8)
    scores[slot]! *= isIndifferent(state, user) ? 0 : shared / (shared + trust) / likes ** userPower
  }
}

/** Reads what they liked of late. Where co-likers are few, more of each one's likes are looked at. */
function* collectFrom(
  state: State,
  { people, collected }: Scratch,
  voters: Int32Array,
  { coLikers, perCoLiker, window }: Tuning,
): Generator<void, void> {
  const each = Math.floor((coLikers * perCoLiker) / Math.max(1, voters.length))
  const users = Array.from(voters, (by) => people.keys[by]!)
  yield* collect(state, collected, users, {
    each: Math.max(perCoLiker, Math.min(MOST_LIKES_OF_ONE, each)),
    window,
  })
}

function* voteAll(scratch: Scratch, voters: Int32Array, tuning: Tuning): Generator<void, void> {
  for (const [i, by] of voters.entries()) {
    vote(scratch, { by, i }, tuning)
    if (i % VOTERS_A_STEP === VOTERS_A_STEP - 1) yield
  }
}

function vote(scratch: Scratch, { by, i }: { by: number; i: number }, tuning: Tuning): void {
  const { people, posts, choirs, collected } = scratch
  const weight = people.scores[by]!
  if (weight === 0) return
  const shared = people.counts[by]!
  nextVoice(choirs, people.keys[by]!)
  const end = collected.starts[i + 1]!
  for (let at = collected.starts[i]!; at < end; at++) {
    const slot = slotFor(posts, collected.posts[at]!)
    const isCounted = slot >= 0 && posts.marks[slot] !== by
    collected.slots[at] = isCounted ? slot : -1
    if (!isCounted) continue
    posts.marks[slot] = by
    posts.scores[slot]! += weight * decayed(collected.ages[at]!, tuning.likeHalfLife)
    posts.counts[slot]!++
    hearVoice(choirs, slot, posts.counts[slot] === 1)
    if (shared > posts.extras[slot]!) posts.extras[slot] = shared
  }
}

function strike(posts: Sums, post: number): void {
  const slot = post < 0 ? -1 : findSlot(posts, post)
  if (slot >= 0) posts.scores[slot] = 0
}

function dampen(
  state: State,
  { posts, claques }: Scratch,
  { postPower, spareLikes }: Tuning,
): void {
  const { scores, keys, used, size } = posts
  for (let i = 0; i < size; i++) {
    const slot = used[i]!
    const likes = Math.max(0, likesOfPost(state, keys[slot]!) - claques.hushed[slot]!)
    scores[slot]! /= (spareLikes + likes) ** postPower
  }
}
