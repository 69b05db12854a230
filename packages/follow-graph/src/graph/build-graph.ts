// Builds a whole graph at once: sorts lists of subjects into keys, and transposes all follows into followers.
// Creators are visited in key order, so each subject's followers arrive ascending and are written to their
// final place. They are counted first, so every subject has a piece of the right size from the start. This
// needs only two extra integers per account.

import { assert } from '../assert.ts'
import type { Adjacency } from './adjacency.ts'
import { setBit } from './bitmap-rows.ts'
import * as sizes from './size-classes.ts'
import * as order from './uid-order.ts'

// Local constants, so that they are compiled in; see sorted-slots.ts.
const { COUNT_BITS, FIRST_BITMAP, capacities, multipliers, rowWords, shifts } = sizes
const { EMPTY, keyOf, uidOfKey } = order
const LOW_HALVES = 65_536
const SHORT = 32

/** The keys of these accounts, ascending, without duplicates. */
export function sortedKeys(uids: Uint32Array): Int32Array {
  const keys = new Int32Array(uids.length)
  for (let i = 0; i < uids.length; i++) keys[i] = keyOf(uids[i]!)
  if (keys.length <= SHORT) sortShort(keys)
  else keys.sort()
  let retained = 0
  for (let i = 0; i < keys.length; i++) {
    if (i === 0 || keys[i] !== keys[retained - 1]) keys[retained++] = keys[i]!
  }
  return keys.subarray(0, retained)
}

/** Insertion sort: for short arrays, merely calling the built-in takes longer. */
function sortShort(keys: Int32Array): void {
  for (let i = 1; i < keys.length; i++) {
    const key = keys[i]!
    let at = i
    for (; at > 0 && keys[at - 1]! > key; at--) keys[at] = keys[at - 1]!
    keys[at] = key
  }
}

/** `followers` must be empty, and no uid in `follows` may exceed `highestUid`. */
export function buildFollowers(follows: Adjacency, followers: Adjacency, highestUid: number): void {
  const counts = countFollowers(follows, highestUid)
  const progress = { counts, next: reservePieces(followers, counts, highestUid) }
  const keys = new Int32Array(1 << 16)
  for (const creator of inKeyOrder(highestUid)) {
    const count = follows.count(creator)
    if (count === 0) continue
    const list = count > keys.length ? new Int32Array(count) : keys
    follows.copyKeys(creator, list, 0)
    const creatorKey = keyOf(creator)
    for (let i = 0; i < count; i++) {
      append(followers, uidOfKey(list[i]!), creatorKey, progress)
    }
  }
}

function countFollowers(follows: Adjacency, highestUid: number): Int32Array {
  const counts = new Int32Array(highestUid + 1)
  let keys = new Int32Array(1 << 16)
  for (let creator = 1; creator <= highestUid; creator++) {
    const count = follows.count(creator)
    if (count > keys.length) keys = new Int32Array(count)
    follows.copyKeys(creator, keys, 0)
    for (let i = 0; i < count; i++) {
      const subject = uidOfKey(keys[i]!)
      assert(subject <= highestUid, 'a uid is out of range')
      counts[subject]!++
    }
  }
  return counts
}

/** @returns the first free place of each subject's piece. */
function reservePieces(followers: Adjacency, counts: Int32Array, highestUid: number): Int32Array {
  const next = new Int32Array(highestUid + 1)
  for (let subject = 1; subject <= highestUid; subject++) {
    if (counts[subject] === 0) continue
    const sizeClass = followers.reserve(subject, counts[subject]!)
    const base = followers.heads.ints[subject * 2]!
    const gap = sizeClass < FIRST_BITMAP ? EMPTY : 0
    const end = base + capacities[sizeClass]!
    const { ints } = followers.memory
    for (let at = base; at < end; at++) ints[at] = gap
    next[subject] = base
  }
  return next
}

/**
 * Places keys like `respread`: at home or after the previous key, but early enough to leave room
 * for the rest.
 */
function append(
  followers: Adjacency,
  subject: number,
  key: number,
  { counts, next }: { counts: Int32Array; next: Int32Array },
): void {
  const heads = followers.heads.ints
  const { ints } = followers.memory
  const base = heads[subject * 2]!
  const sizeClass = heads[subject * 2 + 1]! >>> COUNT_BITS
  heads[subject * 2 + 1]!++
  if (sizeClass >= FIRST_BITMAP) {
    setBit(ints, base, rowWords[sizeClass]!, key)
    return
  }
  const home =
    base + (Math.imul((key ^ EMPTY) >>> 4, multipliers[sizeClass]!) >>> shifts[sizeClass]!)
  const latest = base + capacities[sizeClass]! - counts[subject]!
  const slot = Math.min(Math.max(home, next[subject]!), latest)
  ints[slot] = key
  next[subject] = slot + 1
  counts[subject]!--
}

/** Uids from 1 to `highestUid`, in ascending order of their keys. */
function* inKeyOrder(highestUid: number): Generator<number> {
  for (let row = 0; row < LOW_HALVES; row++) {
    const low = uidOfKey((row << 16) ^ EMPTY)
    for (let uid = low; uid <= highestUid; uid += LOW_HALVES) if (uid > 0) yield uid
  }
}
