// Accounts of a claque, too, are one voice: several candidates that the very same accounts like, and none of the others,
// give them away, however much else they like to hide it. What else they like then weighs as if one of them liked it, so
// no page is moved by what they like of a niche to be found by its readers.

import { type Choirs, setOf } from './choirs.ts'
import type { Collected } from './collected.ts'
import { decayed } from './minutes.ts'
import { createSums, empty, type Sums, slotFor } from './scratch.ts'

/** Candidates with the same likers, to call these a claque; of them, an account must like as many. */
const FEWEST = 4
const NONE = -1

export type Claques = {
  /** Sets of likers, with the number of candidates that each has. */
  sets: Sums
  /** The set of a candidate, by its place. */
  setAt: Int32Array
  /** Likes of a candidate that count as one with another. */
  hushed: Uint16Array
}

/** @param bits - of the number of candidates' places */
export function createClaques(bits: number): Claques {
  return {
    sets: createSums(bits),
    setAt: new Int32Array(2 ** bits),
    hushed: new Uint16Array(2 ** bits),
  }
}

type Votes = {
  people: Sums
  posts: Sums
  choirs: Choirs
  claques: Claques
  collected: Collected
}

type Limits = { halfLife: number; size: readonly [fewest: number, most: number] }

/** Takes back all of what claques' votes are worth but one's. @param voters - whose votes were counted, in order */
export function hushClaques(votes: Votes, voters: Int32Array, limits: Limits): void {
  const { people, claques } = votes
  findSets(votes, limits)
  const claqueOf = Int32Array.from(voters, (_, i) => claqueIn(votes, i))
  const { sets, hushed } = claques
  hushed.fill(0)
  sets.extras.fill(0)
  for (const claque of claqueOf) if (claque !== NONE) sets.extras[claque]!++
  for (const [i, claque] of claqueOf.entries()) {
    const size = claque === NONE ? 1 : sets.extras[claque]!
    if (size > 1)
      hush(votes, i, {
        weight: people.scores[voters[i]!]! * (1 - 1 / size),
        halfLife: limits.halfLife,
      })
  }
}

/** Notes for each candidate which set of accounts likes it, if that likes enough others. */
function findSets({ posts, choirs, claques }: Votes, { size }: Limits): void {
  const { sets, setAt } = claques
  empty(sets)
  for (let i = 0; i < posts.size; i++) {
    const slot = posts.used[i]!
    const votes = posts.counts[slot]!
    setAt[slot] = votes < size[0] || votes > size[1] ? NONE : slotFor(sets, setOf(choirs, slot))
    if (setAt[slot] !== NONE) sets.counts[setAt[slot]]!++
  }
}

/** The set that likes most of the candidates that an account voted for; none if these are few. */
function claqueIn({ claques, collected }: Votes, voter: number): number {
  const { sets, setAt } = claques
  let best = NONE
  let most = FEWEST - 1
  for (let at = collected.starts[voter]!; at < collected.starts[voter + 1]!; at++) {
    const slot = collected.slots[at]!
    const set = slot < 0 ? NONE : setAt[slot]!
    if (set === NONE || sets.counts[set]! < FEWEST) continue
    sets.extras[set] = sets.marks[set] === voter ? sets.extras[set]! + 1 : 1
    sets.marks[set] = voter
    if (sets.extras[set]! <= most) continue
    most = sets.extras[set]!
    best = set
  }
  return best
}

function hush(
  { posts, claques, collected }: Votes,
  voter: number,
  { weight, halfLife }: { weight: number; halfLife: number },
): void {
  for (let at = collected.starts[voter]!; at < collected.starts[voter + 1]!; at++) {
    const slot = collected.slots[at]!
    if (slot < 0) continue
    posts.scores[slot]! -= weight * decayed(collected.ages[at]!, halfLife)
    claques.hushed[slot]!++
  }
}
