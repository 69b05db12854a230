// Accounts of a claque, too, are one voice: several candidates with nearly the same likers give these away, however much
// else they like to hide it. What else they like then weighs as if one of them liked it, so no page is moved by what they
// like of a niche to be found by its readers. Candidates are compared by pairs of least hashes of their likers: those of
// which two are the same are a set, and if whoever likes one of these likes half of them, its likers are a claque.

import { type Choirs, PAIRS, pairOf } from './choirs.ts'
import type { Collected } from './collected.ts'
import { decayed } from './minutes.ts'
import { createSums, empty, placeFor, type Sums } from './scratch.ts'

/** Candidates of a set, to call its likers a claque; of them, an account must like as many. */
const FEWEST = 4
/** The share of a claque's candidates that an account of it likes at least. */
const SHARE = 0.4
/** The share of a set's candidates that those who like any of them like on average, without the two that like all. */
const ALIKE = 0.5
const LEADERS = 2
/** Votes without which a candidate is not compared. */
const FEWEST_VOTES = 3
const NONE = -1
/** Before the sets of a candidate are compared. */
const MAYBE = 0
/** Places of the sieve, less one. */
const SIEVE = 2 ** 16 - 1

export type Claques = {
  /** By pairs of least hashes: how many candidates have each, and how alike their likers are. */
  sets: Sums
  /** The sets of a candidate, by its place. */
  setsAt: Int32Array
  /** How often a pair may be there, at most. */
  seen: Uint8Array
  /** Votes for a set's candidates, and the sum of the squares of what each account gave. */
  votes: Int32Array
  squares: Int32Array
  /** Sets that have candidates in common lead to one, whose claque these candidates have. */
  parents: Int32Array
  claqueAt: Int32Array
  /** How many candidates a claque has, by its set. */
  sizes: Int32Array
  /** Likes of a candidate that count as one with another. */
  hushed: Uint16Array
}

/** @param bits - of the number of candidates' places */
export function createClaques(bits: number): Claques {
  const places = 2 ** bits
  const ofSets = () => new Int32Array(places * 2)
  return {
    sets: createSums(bits + 1),
    seen: new Uint8Array(SIEVE + 1),
    setsAt: new Int32Array(places * PAIRS),
    votes: ofSets(),
    squares: ofSets(),
    parents: ofSets(),
    claqueAt: new Int32Array(places),
    sizes: ofSets(),
    hushed: new Uint16Array(places),
  }
}

type Votes = {
  people: Sums
  posts: Sums
  choirs: Choirs
  claques: Claques
  collected: Collected
}

type Limits = { halfLife: number; most: number }

/**
 * Takes back all of what claques' votes are worth but one's.
 * @param voters - whose votes were counted, in order
 * @param limits - `most`: votes beyond which a candidate is liked by too many for a claque
 * @returns how many voters are without a voice
 */
export function hushClaques(votes: Votes, voters: Int32Array, limits: Limits): number {
  const { people, claques } = votes
  claques.hushed.fill(0)
  if (!findSets(votes, limits.most)) return 0
  compareLikers(votes, voters.length)
  if (!joinSets(votes)) return 0
  const claqueOf = Int32Array.from(voters, (_, i) => claqueIn(votes, i))
  const members = new Map<number, number>()
  for (const claque of claqueOf) members.set(claque, (members.get(claque) ?? 0) + 1)
  let silent = 0
  for (const [i, claque] of claqueOf.entries()) {
    const share = claque === NONE ? 0 : 1 - 1 / members.get(claque)!
    if (share === 0) continue
    silent += share
    hush(votes, i, { weight: people.scores[voters[i]!]! * share, halfLife: limits.halfLife })
  }
  return Math.round(silent)
}

/** Notes for each candidate its sets of enough candidates. @returns whether there are any */
function findSets({ posts, choirs, claques }: Votes, most: number): boolean {
  const { sets, setsAt, claqueAt, seen } = claques
  empty(sets)
  seen.fill(0)
  const isCompared = (place: number) =>
    posts.counts[place]! >= FEWEST_VOTES && posts.counts[place]! <= most
  for (let i = 0; i < posts.size; i++) {
    const place = posts.used[i]!
    if (isCompared(place)) sift(seen, choirs, place)
  }
  for (let i = 0; i < posts.size; i++) {
    const place = posts.used[i]!
    claqueAt[place] = NONE
    for (let pair = 0; isCompared(place) && pair < PAIRS; pair++) {
      const key = pairOf(choirs, place, pair)
      const set = seen[key & SIEVE]! < FEWEST ? NONE : placeFor(sets, key)
      setsAt[place * PAIRS + pair] = set
      if (set === NONE) continue
      sets.counts[set]!++
      claqueAt[place] = MAYBE
    }
  }
  return leaveOutSmall(posts, claques)
}

/** Most pairs are of one candidate: they are left out before they take a place. */
function sift(seen: Uint8Array, choirs: Choirs, place: number): void {
  for (let pair = 0; pair < PAIRS; pair++) {
    const at = pairOf(choirs, place, pair) & SIEVE
    if (seen[at]! < FEWEST) seen[at]!++
  }
}

function leaveOutSmall(posts: Sums, claques: Claques): boolean {
  const { sets, setsAt, claqueAt, votes, squares, sizes, parents } = claques
  let isAny = false
  for (let i = 0; i < posts.size; i++) {
    const place = posts.used[i]!
    if (claqueAt[place] === NONE) continue
    claqueAt[place] = NONE
    for (let at = place * PAIRS; at < (place + 1) * PAIRS; at++) {
      const set = setsAt[at]!
      if (set === NONE) continue
      if (sets.counts[set]! < FEWEST) setsAt[at] = NONE
      else {
        votes[set] = squares[set] = sizes[set] = 0
        parents[set] = set
        claqueAt[place] = MAYBE
        isAny = true
      }
    }
  }
  return isAny
}

function compareLikers({ claques, collected }: Votes, voters: number): void {
  const { sets, setsAt, claqueAt, votes, squares } = claques
  for (let voter = 0; voter < voters; voter++) {
    for (let at = collected.starts[voter]!; at < collected.starts[voter + 1]!; at++) {
      const place = collected.places[at]!
      if (place < 0 || claqueAt[place] === NONE) continue
      for (let pair = 0; pair < PAIRS; pair++) {
        const set = setsAt[place * PAIRS + pair]!
        if (set === NONE) continue
        const count = countBy(sets, set, voter)
        votes[set]!++
        squares[set]! += 2 * count - 1
      }
    }
  }
}

/** How often this is called for the set and voter. Voters come one after another. */
function countBy({ marks, extras }: Sums, set: number, voter: number): number {
  extras[set] = marks[set] === voter ? extras[set]! + 1 : 1
  marks[set] = voter
  return extras[set]!
}

/** Joins sets of alike likers that have candidates in common. @returns whether there are any */
function joinSets({ posts, claques }: Votes): boolean {
  const { setsAt, claqueAt, parents, sizes, sets } = claques
  let isAny = false
  for (let i = 0; i < posts.size; i++) {
    const place = posts.used[i]!
    if (claqueAt[place] === NONE) continue
    let first = NONE
    for (let pair = 0; pair < PAIRS; pair++) {
      const set = setsAt[place * PAIRS + pair]!
      if (set === NONE || !areAlike(claques, set)) continue
      if (first === NONE) first = set
      else parents[rootOf(parents, set)] = rootOf(parents, first)
    }
    claqueAt[place] = first
    isAny ||= first !== NONE
  }
  for (let i = 0; i < posts.size; i++) {
    const place = posts.used[i]!
    if (claqueAt[place] === NONE) continue
    claqueAt[place] = rootOf(parents, claqueAt[place]!)
    sizes[claqueAt[place]!]!++
  }
  for (let i = 0; i < sets.size; i++) sets.marks[sets.used[i]!] = NONE
  return isAny
}

function areAlike({ sets, votes, squares }: Claques, set: number): boolean {
  const size = sets.counts[set]!
  const others = votes[set]! - LEADERS * size
  return others > 0 && squares[set]! - LEADERS * size * size >= ALIKE * others * size
}

function rootOf(parents: Int32Array, set: number): number {
  let root = set
  while (parents[root] !== root) root = parents[root]!
  return root
}

/** The claque of whose candidates an account likes most; none if these are few. */
function claqueIn({ claques, collected }: Votes, voter: number): number {
  const { sets, claqueAt, sizes } = claques
  let best = NONE
  let most = FEWEST - 1
  for (let at = collected.starts[voter]!; at < collected.starts[voter + 1]!; at++) {
    const place = collected.places[at]!
    const claque = place < 0 ? NONE : claqueAt[place]!
    if (claque === NONE) continue
    const count = countBy(sets, claque, voter)
    if (count <= most || count < SHARE * sizes[claque]!) continue
    most = count
    best = claque
  }
  return best
}

function hush(
  { posts, claques, collected }: Votes,
  voter: number,
  { weight, halfLife }: { weight: number; halfLife: number },
): void {
  for (let at = collected.starts[voter]!; at < collected.starts[voter + 1]!; at++) {
    const place = collected.places[at]!
    if (place < 0) continue
    posts.scores[place]! -= weight * decayed(collected.ages[at]!, halfLife)
    claques.hushed[place]!++
  }
}
