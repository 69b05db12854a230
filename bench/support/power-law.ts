// Networks for benchmarks: the follows of a given number of accounts, determined by the seed and streamed
// list by list, so that one of 160 million edges needs no memory. Follow counts are Pareto distributed: at
// ten follows per account the median is 6, one account in a hundred has 56 or more, and the longest list
// among a million accounts is about ten thousand. Subjects are drawn by rank: the first of a million gets
// about 2% of all follows, as measured on the real network. Ranks are scattered over the uids.

import { createRandom, type Random } from '../../test/support/random.ts'

export type PowerLaw = {
  accounts: number
  /** Approximate: a list names no account twice, and no account follows itself. */
  edges: number
  seed: number
}

const OUT_EXPONENT = 1.8
/** Mean of the distribution, in units of its smallest value. */
const OUT_MEAN = OUT_EXPONENT / (OUT_EXPONENT - 1)
const MAX_SHARE = 0.02
const SCATTER = 15_485_863

/** Yields lists in creator order; consume each before the next, because they share one array. */
export function* powerLawLists({
  accounts,
  edges,
  seed,
}: PowerLaw): Generator<[creator: number, subjects: Uint32Array]> {
  const random = createRandom(seed)
  const longest = Math.max(10, Math.floor(accounts * MAX_SHARE))
  const list = new Uint32Array(longest)
  const smallest = edges / accounts / OUT_MEAN
  let pending = 0
  for (let creator = 1; creator <= accounts; creator++) {
    pending += smallest * (1 - random.next()) ** (-1 / OUT_EXPONENT)
    const length = Math.min(Math.floor(pending), longest)
    pending = length === longest ? 0 : pending - length
    for (let i = 0; i < length; i++) list[i] = drawSubject(random, accounts, creator)
    yield [creator, list.subarray(0, distinct(list, length))]
  }
}

/** The rank is the 3.5th power of a uniform draw, so rank r has weight r^(-5/7). */
function drawSubject(random: Random, accounts: number, creator: number): number {
  const draw = random.next()
  const rank = Math.floor(accounts * draw * draw * draw * Math.sqrt(draw))
  const uid = 1 + ((rank * SCATTER) % accounts)
  return uid === creator ? 1 + (creator % accounts) : uid
}

/**
 * Moves the distinct values to the front, in no particular order.
 * @returns how many there are
 */
function distinct(list: Uint32Array, length: number): number {
  const sorted = list.subarray(0, length).sort()
  let retained = 0
  for (let i = 0; i < length; i++) {
    if (i === 0 || sorted[i] !== sorted[retained - 1]) sorted[retained++] = sorted[i]!
  }
  return retained
}

/** An account's DID: one in a hundred is a did:web. */
export function powerLawDid(uid: number): string {
  if (uid % 100 === 0) return `did:web:account-${uid}.example.com`
  let did = 'did:plc:'
  let state = Math.imul(uid, 0x9e3779b1) >>> 0
  for (let i = 0; i < 24; i++) {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + uid + i) >>> 0
    did += ALPHABET[(state >>> 24) & 31]
  }
  return did
}

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567'
