// The table of posts that likes name: the author's DID in four words, the record key in two (both reversible,
// since posts are fetched by them), the latest like of it in each log, and how often it was liked.

import { mix } from '../../../base/util/hash.ts'
import { H, P, POST_WORDS, type State, WAYS } from './layout.ts'
import { ageOf, DAY_MINUTES, decayed, shortened } from './minutes.ts'
import { countedUp, countOf, isOf, nextGeneration, refOf, slotOf } from './slots.ts'

/** did:plc in four words of thirty bits (data/graph/did-words.ts), a TID in two of 32, signed. */
export type PostKey = { did: Int32Array; top: number; bottom: number }

const NONE = -1
/** A post loses half of its worth in this many minutes without a like. */
const HALF_LIFE = DAY_MINUTES / 2
/** Members' own likes connect them with others for this long. */
export const ANCHOR_DAYS = 14
const ANCHOR_WORTH = 1000

export function hashOfPost({ did, top, bottom }: PostKey): number {
  return mix(did[0]! ^ mix(did[1]! ^ mix(did[2]! ^ mix(did[3]! ^ mix(top ^ mix(bottom))))))
}

function bucketOf(state: State, key: PostKey): number {
  const buckets = state.capacities.posts / WAYS
  return ((hashOfPost(key) >>> 0) % buckets) * WAYS
}

/** @returns the slot; -1: unknown */
export function findPost(state: State, key: PostKey): number {
  const bucket = bucketOf(state, key)
  for (let slot = bucket; slot < bucket + WAYS; slot++) if (isAt(state, slot, key)) return slot
  return NONE
}

function isAt({ posts }: State, slot: number, { did, top, bottom }: PostKey): boolean {
  const at = slot * POST_WORDS
  return (
    posts[at + P.rkey + 1] === bottom &&
    posts[at + P.rkey] === top &&
    posts[at] === did[0] &&
    posts[at + 1] === did[1] &&
    posts[at + 2] === did[2] &&
    posts[at + 3] === did[3]
  )
}

/** Gives the post the slot in its bucket that is free or worth least. */
export function addPost(state: State, key: PostKey): number {
  const slot = leastOf(state, bucketOf(state, key))
  const at = slot * POST_WORDS
  const { posts, header } = state
  if (!isFree(posts, at)) header[H.lostPosts]!++
  posts[at + P.rkey] = 0
  posts[at + P.count] = nextGeneration(posts[at + P.count]!)
  posts.set(key.did, at)
  posts[at + P.recentHead] = 0
  posts[at + P.lastingHead] = 0
  posts[at + P.minutes] = shortened(header[H.now]!)
  posts[at + P.rkey + 1] = key.bottom
  posts[at + P.rkey] = key.top
  return slot
}

/** No TID has the upper word 0. */
function isFree(posts: Int32Array, at: number): boolean {
  return posts[at + P.rkey] === 0
}

function leastOf(state: State, bucket: number): number {
  let least = bucket
  let worth = Number.POSITIVE_INFINITY
  for (let slot = bucket; slot < bucket + WAYS; slot++) {
    if (isFree(state.posts, slot * POST_WORDS)) return slot
    const its = worthOfPost(state, slot)
    if (its >= worth) continue
    worth = its
    least = slot
  }
  return least
}

/**
 * What a post is worth keeping for: how often it was liked, halved every half-day without a like. A
 * member's like is worth a thousand, and less the older it is.
 */
function worthOfPost({ posts, header }: State, slot: number): number {
  const at = slot * POST_WORDS
  const now = header[H.now]!
  const age = ageOf(posts[at + P.minutes]! & 0xffff, now)
  const liked = likesOf(posts, at) * decayed(age, HALF_LIFE)
  const anchor = posts[at + P.minutes]! >>> 16
  if (anchor === 0) return liked
  const days = ageOf(anchor, now) / DAY_MINUTES
  return days > ANCHOR_DAYS ? liked : liked + ANCHOR_WORTH * (1 - days / (2 * ANCHOR_DAYS))
}

function likesOf(posts: Int32Array, at: number): number {
  return countOf(posts[at + P.count]!)
}

export function likesOfPost({ posts }: State, slot: number): number {
  return likesOf(posts, slot * POST_WORDS)
}

export function countLike({ posts, header }: State, slot: number): void {
  const at = slot * POST_WORDS
  posts[at + P.count] = countedUp(posts[at + P.count]!)
  posts[at + P.minutes] = (posts[at + P.minutes]! & ~0xffff) | shortened(header[H.now]!)
}

export function discountLike({ posts }: State, slot: number): void {
  const at = slot * POST_WORDS + P.count
  if (countOf(posts[at]!) > 0) posts[at]!--
}

/** Whether a member liked it in the last days. */
export function isAnchor({ posts, header }: State, slot: number): boolean {
  const minute = posts[slot * POST_WORDS + P.minutes]! >>> 16
  return minute !== 0 && ageOf(minute, header[H.now]!) <= ANCHOR_DAYS * DAY_MINUTES
}

export function makeAnchor({ posts, header }: State, slot: number): void {
  const at = slot * POST_WORDS + P.minutes
  const minute = shortened(header[H.now]!) || 1
  posts[at] = (posts[at]! & 0xffff) | (minute << 16)
}

export function refOfPost({ posts }: State, slot: number): number {
  return refOf(posts, slot, slot * POST_WORDS + P.count)
}

/** @returns the slot; -1 if it has another post by now */
export function postOfRef({ posts, capacities }: State, ref: number): number {
  const slot = slotOf(ref)
  if (slot >= capacities.posts) return NONE
  return isOf(ref, posts[slot * POST_WORDS + P.count]!) ? slot : NONE
}

export function keyOfPost({ posts }: State, slot: number): PostKey {
  const at = slot * POST_WORDS
  const did = posts.slice(at, at + 4)
  return { did, top: posts[at + P.rkey]!, bottom: posts[at + P.rkey + 1]! }
}

/** A number for the author: equal for posts by one account, nearly always different otherwise. */
export function authorOfPost({ posts }: State, slot: number): number {
  const at = slot * POST_WORDS
  return mix(posts[at]! ^ mix(posts[at + 1]! ^ mix(posts[at + 2]! ^ posts[at + 3]!)))
}
