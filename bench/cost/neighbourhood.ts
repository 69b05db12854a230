// How much of the whole network a community of a given size touches, by sampling: which accounts its members
// follow, and what share of the network's posts and other acts is by or about those accounts. The network
// matches that of the other benchmarks (test/support/network-stream.ts): activity and followers follow a
// power law, and a neighbourhood beside it grows with the community.

import { createRandom, type Random } from '../../test/support/random.ts'

export type Neighbourhood = {
  members: number
  /** Distinct accounts that members follow. */
  authors: number
  /** Share of the network's acts that are by these authors. */
  authorShare: number
  /**
   * Share of the network's acts that a community keeps: those by authors or about their records.
   */
  storedShare: number
  /** Members who receive a post, averaged over all posts of the network, without celebrities. */
  writesPerPost: number
}

export type NeighbourhoodOptions = {
  members: number
  followsEach: number
  accounts: number
  /** Share of all follows that stay inside the community's neighbourhood. */
  localShare: number
  /** Accounts in the neighbourhood per member. */
  localPerMember: number
  /** Authors with more member followers than this are merged at read time instead of fanned out. */
  celebrityThreshold: number
}

const SAMPLE = 200_000

export function drawNeighbourhood(options: NeighbourhoodOptions): Neighbourhood {
  const { members, followsEach, accounts } = options
  const random = createRandom(members)
  const followers = new Uint32Array(accounts)
  for (let i = 0; i < members * followsEach; i++) followers[drawFollowed(random, options)]!++
  let authors = 0
  for (let i = 0; i < accounts; i++) if (followers[i]! > 0) authors++
  return { members, authors, ...sampleActs(random, followers, options) }
}

/**
 * Popular accounts are followed more often; neighbours are drawn evenly from the far end of the
 * list.
 */
function drawFollowed(
  random: Random,
  { accounts, localShare, localPerMember, members }: NeighbourhoodOptions,
): number {
  if (!random.chance(localShare)) return drawActive(random, accounts)
  const local = Math.min(accounts, Math.max(1_000, members * localPerMember))
  return accounts - 1 - random.below(local)
}

/** Same distribution as `anyAccount` of the stream. */
function drawActive(random: Random, accounts: number): number {
  return Math.floor(accounts * random.next() ** 3)
}

/**
 * One act in ten of an author names no account; the others name one drawn from the same
 * distribution.
 */
function sampleActs(
  random: Random,
  followers: Uint32Array,
  { accounts, celebrityThreshold }: NeighbourhoodOptions,
): Pick<Neighbourhood, 'authorShare' | 'storedShare' | 'writesPerPost'> {
  let byAuthors = 0
  let retained = 0
  let writes = 0
  for (let i = 0; i < SAMPLE; i++) {
    const count = followers[drawActive(random, accounts)]!
    const isAbout = followers[drawActive(random, accounts)]! > 0
    if (count > 0) byAuthors++
    if (count > 0 || isAbout) retained++
    if (count < celebrityThreshold) writes += count
  }
  return {
    authorShare: byAuthors / SAMPLE,
    storedShare: retained / SAMPLE,
    writesPerPost: writes / SAMPLE,
  }
}
