// A seeded fake network: accounts that follow each other by a power law, a past of some hours, and an endless
// present in the mix seen in production (jetstream.md, Volumes). It is also an oracle: each repository holds
// exactly what its PDS would answer.

import type { Random } from '../random.ts'
import {
  actAsUsual,
  follow,
  followSomebody,
  type NetworkContext,
  type Restriction,
} from './common-acts.ts'
import { createRareActs } from './rare-acts.ts'
import {
  type AccountEvent,
  type Commit,
  createRepository,
  type SimulatedAccount,
  type SyncEvent,
} from './repository.ts'
import { postText } from './words.ts'

export type NetworkOptions = {
  random: Random
  accounts: number
  /** Mean number of accounts that each account follows. */
  meanFollows: number
  /** Number of posts, likes and reposts before the start. */
  pastEvents: number
  pastHours: number
  now: () => number
  /** Accounts that act only on request. */
  quiet?: ReadonlySet<number>
  /** Existing blobs for posts with pictures; made-up ones by default. */
  pictures?: readonly Picture[]
  /** Content of a post, instead of a few made-up words. */
  words?: ((random: Random) => Record<string, unknown>) | undefined
  /** Called for each event before the start, in order. */
  onPast?: (event: NetworkEvent, atMs: number) => void
}

export type Picture = { cid: string; size: number }

/** Events of the stream. */
export type NetworkEvent = Commit | AccountEvent | SyncEvent

export type SimulatedNetwork = {
  readonly repositories: readonly SimulatedAccount[]
  /**
   * Performs a random act at `atMs`; in rare cases returns undefined, when the dice chose a removal
   * and there is nothing to remove.
   */
  act(atMs: number): NetworkEvent | undefined
  /** From now on this share of acts are rare ones; the accounts in `lasting` are never closed. */
  allowRareActs(share: number, lasting: readonly number[]): void
  /**
   * Until lifted, only `dids` act, no account becomes inactive for a time, and `loyal` accounts
   * unfollow no account. undefined lifts the restriction.
   */
  restrict(to: Restriction | undefined): void
  /** Returns undefined if the follow already exists, or if one of the accounts can't take part. */
  follow(pair: { account: number; subject: number; atMs: number }): Commit | undefined
}

export function createNetwork(options: NetworkOptions): SimulatedNetwork {
  const { random, accounts, quiet = new Set(), words, pictures = [] } = options
  const repositories = Array.from({ length: accounts }, (_, i) => createAccount(random, i))
  const context: NetworkContext = {
    random,
    repositories,
    quiet,
    words,
    posts: [],
    deletables: [],
    restriction: undefined,
  }
  const rareActs = createRareActs(context, pictures)
  let rareShare = 0

  function act(atMs: number): NetworkEvent | undefined {
    const isRare = rareShare > 0 && (rareActs.isPending() || random.chance(rareShare))
    return isRare ? rareActs.act(atMs) : actAsUsual(context, atMs)
  }

  livePast(options, context, act)
  return {
    repositories,
    act,
    follow: (pair) => follow(context, pair),
    restrict: (to) => {
      context.restriction = to
    },
    allowRareActs: (share, lasting) => {
      rareShare = share
      rareActs.spare(lasting)
    },
  }
}

/** The past: first the follows, all at its start, then the events. */
function livePast(
  { accounts, meanFollows, pastEvents, pastHours, now, onPast }: NetworkOptions,
  context: NetworkContext,
  act: SimulatedNetwork['act'],
): void {
  const startMs = now() - pastHours * 3_600_000
  const tell = (event: NetworkEvent | undefined, atMs: number) => {
    if (event) onPast?.(event, atMs)
  }
  for (let i = 0; i < accounts * meanFollows; i++) {
    tell(followSomebody(context, i % accounts, startMs), startMs)
  }
  for (let i = 0; i < pastEvents; i++) {
    const atMs = startMs + Math.floor((i / pastEvents) * (now() - startMs))
    tell(act(atMs), atMs)
  }
}

function createAccount(random: Random, index: number): SimulatedAccount {
  const alphabet = 'abcdefghijklmnopqrstuvwxyz234567'
  const id = Array.from({ length: 24 }, () => alphabet[random.below(32)]!).join('')
  const name = `user${index}`
  const repository = createRepository({
    did: `did:plc:${id}`,
    handle: `${name}.simulated.example`,
    clockId: index,
  })
  repository.put({
    collection: 'app.bsky.actor.profile',
    rkey: 'self',
    value: { displayName: `User ${index}`, description: postText(random) },
    atMs: 0,
  })
  return repository
}
