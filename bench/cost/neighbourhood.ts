// What a community of so many members touches of the whole network, by drawing it: whom they follow,
// and what share of the network's posts and of its other acts is by those or about those. The network
// is like that of the other benchmarks (test/support/network-stream.ts): accounts that act and are
// followed by a power law, and beside it a neighbourhood that grows with the community.

import { createRandom, type Random } from '../../test/support/random.ts'

export type Neighbourhood = {
  members: number
  /** Distinct accounts that members follow. */
  authors: number
  /** Of the network's acts, those of authors. */
  authorShare: number
  /** Of the network's acts, those that a community keeps: by authors, or about something of theirs. */
  keptShare: number
  /** Members who get one post of the network, on average over all posts; celebrities left out. */
  writesPerPost: number
}

export type NeighbourhoodOptions = {
  members: number
  followsEach: number
  accounts: number
  /** Of all follows, those inside the community's neighbourhood. */
  localShare: number
  /** Accounts of the neighbourhood for each member. */
  localPerMember: number
  /** Authors with more member followers are merged at read time instead of fanned out. */
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

/** The popular are followed more often; neighbours are anybody at the far end of the list. */
function drawFollowed(
  random: Random,
  { accounts, localShare, localPerMember, members }: NeighbourhoodOptions,
): number {
  if (!random.chance(localShare)) return drawActive(random, accounts)
  const local = Math.min(accounts, Math.max(1_000, members * localPerMember))
  return accounts - 1 - random.below(local)
}

/** As `anyAccount` of the stream has it. */
function drawActive(random: Random, accounts: number): number {
  return Math.floor(accounts * random.next() ** 3)
}

/** One act in ten of an author names no account; the others name one who is drawn in the same way. */
function sampleActs(
  random: Random,
  followers: Uint32Array,
  { accounts, celebrityThreshold }: NeighbourhoodOptions,
): Pick<Neighbourhood, 'authorShare' | 'keptShare' | 'writesPerPost'> {
  let byAuthors = 0
  let kept = 0
  let writes = 0
  for (let i = 0; i < SAMPLE; i++) {
    const count = followers[drawActive(random, accounts)]!
    const isAbout = followers[drawActive(random, accounts)]! > 0
    if (count > 0) byAuthors++
    if (count > 0 || isAbout) kept++
    if (count < celebrityThreshold) writes += count
  }
  return {
    authorShare: byAuthors / SAMPLE,
    keptShare: kept / SAMPLE,
    writesPerPost: writes / SAMPLE,
  }
}
