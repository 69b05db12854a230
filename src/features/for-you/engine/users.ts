// The table of accounts that like: no DID, only 64 bits of a hash with a salt of this server, the latest like
// in each log, how active it is, and its weight: how much it has in common with members.

import { mix } from '../../../base/util/hash.ts'
import { H, type State, U, USER_WORDS, WAYS } from './layout.ts'
import { ageOf, DAY_MINUTES, decayed, shortened } from './minutes.ts'
import { countOf, isOf, MAX_COUNT, nextGeneration, refOf, slotOf } from './slots.ts'

/** `low` decides the bucket and the sample. */
export type Fingerprint = { high: number; low: number }

const NONE = -1
/** A weight halves in this many minutes. */
const WEIGHT_HALF_LIFE = 7 * DAY_MINUTES
/** An account's likes count half after this many minutes. */
const ACTIVITY_HALF_LIFE = 3 * DAY_MINUTES
/** Activity is stored in sixteenths. */
const PARTS = 16
/** Some 230 likes a day for weeks, or 1,000 in one: whoever likes more chooses nothing. */
const MAX_ACTIVITY = 1000
/** Likes that an account is taken to have beyond those heard of: one like alone shows no choice. */
const SPARE_LIKES = 8

/** Neither word is zero. @param did - four words (data/graph/did-words.ts) */
export function fingerprintOf({ header }: State, did: Int32Array): Fingerprint {
  const salt = header[H.salt]!
  const [a, b, c, d] = [did[0]!, did[1]!, did[2]!, did[3]!]
  const high = mix(a ^ mix(b ^ mix(c ^ mix(d ^ salt)))) || 1
  const low = mix(d ^ mix(c ^ mix(b ^ mix(a ^ ~salt)))) || 1
  return { high, low }
}

function bucketOf({ capacities }: State, { high }: Fingerprint): number {
  return ((high >>> 0) % (capacities.users / WAYS)) * WAYS
}

export function findUser(state: State, print: Fingerprint): number {
  const bucket = bucketOf(state, print)
  const { users } = state
  for (let slot = bucket; slot < bucket + WAYS; slot++) {
    const at = slot * USER_WORDS
    if (users[at] === print.high && users[at + 1] === print.low) return slot
  }
  return NONE
}

/** Gives the account the slot in its bucket that is free or worth least. */
export function addUser(state: State, print: Fingerprint): number {
  const { users, userFloats, header } = state
  const slot = leastOf(state, bucketOf(state, print))
  const at = slot * USER_WORDS
  if (users[at] !== 0) header[H.lostUsers]!++
  users[at + U.activity] = nextGeneration(users[at + U.activity]!)
  users[at] = print.high
  users[at + 1] = print.low
  users[at + U.recentHead] = 0
  users[at + U.lastingHead] = 0
  userFloats[at + U.weight] = 0
  const now = shortened(header[H.now]!)
  users[at + U.minutes] = now | (now << 16)
  return slot
}

function leastOf(state: State, bucket: number): number {
  let least = bucket
  let worth = Number.POSITIVE_INFINITY
  for (let slot = bucket; slot < bucket + WAYS; slot++) {
    if (state.users[slot * USER_WORDS] === 0) return slot
    const its = worthOfUser(state, slot)
    if (its >= worth) continue
    worth = its
    least = slot
  }
  return least
}

/** Its rank, then its likes of late. */
function worthOfUser(state: State, slot: number): number {
  const { users, header } = state
  const age = ageOf(users[slot * USER_WORDS + U.minutes]! & 0xffff, header[H.now]!)
  const active = Math.min(activityOf(state, slot), MAX_ACTIVITY) * decayed(age, ACTIVITY_HALF_LIFE)
  return rankOf(state, slot) * 1000 + active / 1000
}

/** Its likes, halved every three days, as of the latest. */
export function activityOf({ users }: State, slot: number): number {
  return countOf(users[slot * USER_WORDS + U.activity]!) / PARTS
}

/** Whether it likes so much that its likes say nothing. */
export function isIndifferent(state: State, slot: number): boolean {
  return activityOf(state, slot) > MAX_ACTIVITY
}

export function countLikeBy(state: State, slot: number): void {
  const { users, header } = state
  const at = slot * USER_WORDS
  const now = header[H.now]!
  const age = ageOf(users[at + U.minutes]! & 0xffff, now)
  const active = activityOf(state, slot) * decayed(age, ACTIVITY_HALF_LIFE) + 1
  const word = users[at + U.activity]!
  users[at + U.activity] = (word & ~MAX_COUNT) | Math.min(MAX_COUNT, Math.round(active * PARTS))
  users[at + U.minutes] = (users[at + U.minutes]! & ~0xffff) | shortened(now)
}

/**
 * How selectively an account likes what members like: its weight by the root of how much it likes.
 * Whoever likes everything has a low one.
 */
export function rankOf(state: State, slot: number): number {
  return weightOf(state, slot) / Math.sqrt(activityOf(state, slot) + SPARE_LIKES)
}

function weightOf({ users, userFloats, header }: State, slot: number): number {
  const at = slot * USER_WORDS
  const weight = userFloats[at + U.weight]!
  if (weight === 0) return 0
  return weight * decayed(ageOf(users[at + U.minutes]! >>> 16, header[H.now]!), WEIGHT_HALF_LIFE)
}

/** Adds to its weight for a like that it shares with a member. */
export function credit(state: State, slot: number, amount: number): void {
  const at = slot * USER_WORDS
  const { users, userFloats, header } = state
  userFloats[at + U.weight] = weightOf(state, slot) + amount
  const now = shortened(header[H.now]!)
  users[at + U.minutes] = (users[at + U.minutes]! & 0xffff) | (now << 16)
}

export function refOfUser({ users }: State, slot: number): number {
  return refOf(users, slot, slot * USER_WORDS + U.activity)
}

/** @returns the slot; -1 if it has another account by now */
export function userOfRef({ users, capacities }: State, ref: number): number {
  const slot = slotOf(ref)
  if (slot >= capacities.users) return NONE
  return isOf(ref, users[slot * USER_WORDS + U.activity]!) ? slot : NONE
}
