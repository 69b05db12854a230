// Co-likers who like nearly the same are one voice: a ring of accounts that like each other's posts, and what a reader
// likes, to be found by them, counts as much as its strongest member. Likes are compared by sketches: each like goes to
// one of 32 bins by its hash, and the least hash of a bin stays. The share of bins in which two sketches agree is about
// the share of likes that two accounts have in common.

import { mix } from '../../../base/util/hash.ts'
import { H, type State } from './layout.ts'
import { ageOf } from './minutes.ts'
import { createSums, empty, findPlace, placeFor, type Sums } from './scratch.ts'
import { eachLiked } from './walk.ts'

const BINS = 32
const NONE = 0x7fffffff
/** Bins in use without which a sketch says nothing: of few likes, two accounts may have all in common. */
const FEWEST = 6
/** Sketches of which first ones are remembered: more than there are co-likers, by bins. */
const BITS = 15

export type Sketches = { bins: Int32Array; firsts: Sums; agreed: Uint16Array }

/** @param most - co-likers of one calculation */
export function createSketches(most: number): Sketches {
  return {
    bins: new Int32Array(BINS),
    firsts: createSums(BITS),
    agreed: new Uint16Array(most),
  }
}

type Options = {
  /** Places of co-likers in `people`, those with the highest scores first. */
  voters: Int32Array
  /** Likes looked at of each. */
  perVoter: number
  /** Minutes. */
  window: number
  /** The share of likes in common from which two are one voice. */
  alike: number
}

/** Divides the weight of those that are one voice among them. */
export function joinVoices(
  state: State,
  people: Sums,
  sketches: Sketches,
  { voters, perVoter, window, alike }: Options,
): void {
  empty(sketches.firsts)
  const leaders = new Int32Array(voters.length)
  const sizes = new Uint16Array(voters.length)
  for (let i = 0; i < voters.length; i++) {
    const used = sketch(state, sketches.bins, { user: people.keys[voters[i]!]!, perVoter, window })
    leaders[i] = used < FEWEST ? i : leaderOf(sketches, i, Math.max(2, used * alike))
    sizes[leaders[i]!]!++
  }
  for (let i = 0; i < voters.length; i++) people.scores[voters[i]!]! /= sizes[leaders[i]!]!
}

/** @returns how many bins are in use */
function sketch(
  state: State,
  bins: Int32Array,
  { user, perVoter, window }: { user: number; perVoter: number; window: number },
): number {
  const now = state.header[H.now]!
  let used = 0
  bins.fill(NONE)
  eachLiked(state, user, perVoter, (post, minute) => {
    if (ageOf(minute, now) > window) return false
    const hash = mix(post) >>> 1
    const bin = hash % BINS
    if (bins[bin] === NONE) used++
    if (hash < bins[bin]!) bins[bin] = hash
    return true
  })
  return used
}

/** The first one with whom enough bins agree; itself if there is none, and then it is a first one. */
function leaderOf({ bins, firsts, agreed }: Sketches, itself: number, enough: number): number {
  agreed.fill(0, 0, itself)
  let best = itself
  let most = 0
  for (let bin = 0; bin < BINS; bin++) {
    if (bins[bin] === NONE) continue
    const place = findPlace(firsts, bins[bin]!)
    if (place < 0) continue
    const leader = firsts.extras[place]!
    if (++agreed[leader]! <= most) continue
    most = agreed[leader]!
    best = leader
  }
  if (most >= enough) return best
  for (let bin = 0; bin < BINS; bin++) {
    if (bins[bin] === NONE) continue
    const place = placeFor(firsts, bins[bin]!)
    if (place >= 0 && firsts.counts[place] === 0) {
      firsts.counts[place] = 1
      firsts.extras[place] = itself
    }
  }
  return itself
}
