// Co-likers who like nearly the same are one voice: a ring of accounts that like each other's posts, and what a reader
// likes, to be found by them, counts as much as its strongest member. Likes are compared by sketches: each like goes to
// one of 16 bins by its hash, and the least hash of a bin stays. The share of bins in which two sketches agree is about
// the share of likes that two accounts have in common.

import { mix } from '../../../base/util/hash.ts'
import type { Collected } from './collected.ts'
import { createSums, empty, findSlot, type Sums, slotFor } from './scratch.ts'

const BINS = 16
const NONE = 0x7fffffff
/** Bins in use without which a sketch says nothing: of few likes, two accounts may have all in common. */
const FEWEST = 6
/** Of the latest likes of each. */
const SKETCHED = 64
/** Twice as many places as there are bins of all co-likers. */
const BITS = 14

export type Sketches = { bins: Int32Array; firsts: Sums; agreed: Uint16Array }

/** @param most - co-likers of one calculation */
export function createSketches(most: number): Sketches {
  return {
    bins: new Int32Array(BINS),
    firsts: createSums(BITS),
    agreed: new Uint16Array(most),
  }
}

/**
 * Divides the weight of those that are one voice among them.
 * @param voters - their places in `people`, in the order in which they were collected
 * @param alike - the share of likes in common from which two are one voice
 */
export function joinVoices(
  { people, sketches, collected }: { people: Sums; sketches: Sketches; collected: Collected },
  voters: Int32Array,
  alike: number,
): void {
  empty(sketches.firsts)
  const leaders = new Int32Array(voters.length)
  const sizes = new Uint16Array(voters.length)
  for (let i = 0; i < voters.length; i++) {
    const used = sketch(sketches.bins, collected, i)
    leaders[i] = used < FEWEST ? i : leaderOf(sketches, i, Math.max(2, used * alike))
    sizes[leaders[i]!]!++
  }
  for (let i = 0; i < voters.length; i++) people.scores[voters[i]!]! /= sizes[leaders[i]!]!
}

/** @returns how many bins are in use */
function sketch(bins: Int32Array, { posts, starts }: Collected, voter: number): number {
  const start = starts[voter]!
  const end = Math.min(starts[voter + 1]!, start + SKETCHED)
  let used = 0
  bins.fill(NONE)
  for (let at = start; at < end; at++) {
    const hash = mix(posts[at]!) >>> 1
    const bin = hash % BINS
    if (bins[bin] === NONE) used++
    if (hash < bins[bin]!) bins[bin] = hash
  }
  return used
}

/** The first one with whom enough bins agree; itself if there is none, and then it is a first one. */
function leaderOf({ bins, firsts, agreed }: Sketches, itself: number, enough: number): number {
  agreed.fill(0, 0, itself)
  let best = itself
  let most = 0
  for (let bin = 0; bin < BINS; bin++) {
    const slot = bins[bin] === NONE ? -1 : findSlot(firsts, bins[bin]!)
    if (slot < 0) continue
    const leader = firsts.extras[slot]!
    if (++agreed[leader]! <= most) continue
    most = agreed[leader]!
    best = leader
  }
  if (most >= enough) return best
  for (let bin = 0; bin < BINS; bin++) {
    const slot = bins[bin] === NONE ? -1 : slotFor(firsts, bins[bin]!)
    if (slot < 0 || firsts.counts[slot] !== 0) continue
    firsts.counts[slot] = 1
    firsts.extras[slot] = itself
  }
  return itself
}
