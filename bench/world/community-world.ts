// A community on disk in the state left by 36 hours of the network: members with the same number of follows
// each, half popular accounts of the whole network and half from their own neighbourhood; the complete follow
// lists of every account they follow; and what the indexer keeps, in community scope, of a number of events
// of the network's mix (bench/world/network-stream.ts). The lists are written directly into the table,
// because ten million of them take minutes through the indexer.

import type { StreamEvent } from '@slipstream/jetstream'
import { anyAccount, createNetworkStream, didOf } from '../../test/support/network-stream.ts'
import { createRandom, type Random } from '../../test/support/random.ts'
import { openSeeder } from './seeding.ts'

export type CommunitySize = {
  members: number
  followsEach: number
  /** Mean length of the follow list of an account that a member follows. */
  listMean: number
  /** Accounts of the whole network. */
  accounts: number
  /** Events of the network; the community keeps only its part. */
  events: number
  /** Whether everything is indexed for search beforehand. */
  isSearchable?: boolean
}

export type CommunityWorld = {
  members: string[]
  authors: number
  edges: number
  kept: number
}

const CHUNK = 5_000

export function seedCommunity(dataDir: string, size: CommunitySize, endMs: number): CommunityWorld {
  const { accounts, events } = size
  const seeder = openSeeder(dataDir, 'community')
  const random = createRandom(21)
  // At the network's mean rate, ending now.
  const startMs = Math.floor(endMs - (events / 600) * 1000)
  const stream = createNetworkStream({ seed: 7, accounts, startMs })
  const members = Array.from({ length: size.members }, (_, i) => accounts + i)
  const memberDids = members.map(didOf)
  seeder.addMembers(memberDids)
  const authors = new Set<number>()
  for (const member of members) {
    const subjects = new Set<number>()
    while (subjects.size < size.followsEach) subjects.add(someFollowed(random, accounts))
    for (const subject of subjects) authors.add(subject)
    seeder.apply(Array.from(subjects, (subject) => stream.follow(member, subject)))
  }
  const edges = seeder.fillFollows(lists(random, size, [...authors]))
  let retained = 0
  for (let done = 0; done < events; done += CHUNK) {
    const chunk: StreamEvent[] = stream.take(Math.min(CHUNK, events - done))
    retained += seeder.apply(chunk)
  }
  seeder.finish({ isSearchable: size.isSearchable })
  return { members: memberDids, authors: authors.size, edges, kept: retained }
}

/**
 * Half of them any accounts, popular ones more often; half a neighbourhood of 50,000 unknown
 * accounts.
 */
function someFollowed(random: Random, accounts: number): number {
  const neighbourhood = Math.min(50_000, accounts)
  if (random.chance(0.5)) return anyAccount(random, accounts)
  return accounts - 1 - random.below(neighbourhood)
}

/** Lengths are exponentially distributed around the mean. */
function* lists(
  random: Random,
  { accounts, listMean }: CommunitySize,
  authors: readonly number[],
): Generator<[creator: string, subject: string]> {
  for (const author of authors) {
    const length = Math.floor(-Math.log(1 - random.next()) * listMean)
    for (let i = 0; i < length; i++) yield [didOf(author), didOf(anyAccount(random, accounts))]
  }
}
