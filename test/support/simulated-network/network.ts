// A seeded fake network: accounts that follow each other by a power law, a past of some hours, and an endless
// present in the mix seen in production (jetstream.md, Volumes). It is also an oracle: each repository holds
// exactly what its PDS would answer.

import type { Random } from '../random.ts'
import { createRareActs } from './rare-acts.ts'
import {
  type AccountEvent,
  type Commit,
  createRepository,
  type SimulatedAccount,
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
export type NetworkEvent = Commit | AccountEvent | { kind: 'sync'; did: string; rev: string }

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
  restrict(to: { dids: ReadonlySet<string>; loyal: ReadonlySet<string> } | undefined): void
  /** Returns undefined if the follow already exists, or if one of the accounts can't take part. */
  follow(pair: { account: number; subject: number; atMs: number }): Commit | undefined
}

export type PostRef = { uri: string; cid: string; author: number; rkey: string; root?: PostRef }
type Deletable = { account: number; collection: string; rkey: string }

const REMEMBERED_POSTS = 5_000
const REMEMBERED_DELETABLES = 5_000
const SHARES = { like: 0.62, post: 0.12, repost: 0.1, follow: 0.1, remove: 0.06 }

export function createNetwork(options: NetworkOptions): SimulatedNetwork {
  const { random, accounts, now, quiet = new Set() } = options
  const repositories = Array.from({ length: accounts }, (_, i) => createAccount(random, i))
  const posts: PostRef[] = []
  const deletables: Deletable[] = []
  let rareShare = 0
  let restriction: Parameters<SimulatedNetwork['restrict']>[0]
  const rareActs = createRareActs({
    random,
    repositories,
    mayAct,
    post,
    put,
    isAllowed,
    mayGoAway: () => restriction === undefined,
    pictures: options.pictures ?? [],
    forgetAccount: (account) => {
      dropWhere(posts, ({ author }) => author === account)
      dropWhere(deletables, (one) => one.account === account)
    },
  })

  function mayAct(account: number): boolean {
    return !quiet.has(account) && repositories[account]!.state === undefined && isAllowed(account)
  }

  function isAllowed(account: number): boolean {
    return restriction?.dids.has(repositories[account]!.did) ?? true
  }

  function put(account: number, collection: string, value: Record<string, unknown>, atMs: number) {
    const createdAt = new Date(atMs).toISOString()
    const commit = repositories[account]!.put({ collection, value: { createdAt, ...value }, atMs })
    remember(deletables, { account, collection, rkey: commit.rkey }, REMEMBERED_DELETABLES, random)
    return commit
  }

  function follow(pair: { account: number; subject: number; atMs: number }): Commit | undefined {
    const { account, subject, atMs } = pair
    const [from, to] = [repositories[account]!, repositories[subject]!]
    if (subject === account || from.state || to.state || follows(from, to.did)) return
    return put(account, 'app.bsky.graph.follow', { subject: to.did }, atMs)
  }

  function followSomebody(account: number, atMs: number): Commit | undefined {
    const subject = random.zipf(accounts)
    return quiet.has(account) || !isAllowed(account)
      ? undefined
      : follow({ account, subject, atMs })
  }

  function post(atMs: number, more: Record<string, unknown> = {}): Commit | undefined {
    const account = random.zipf(accounts)
    if (!mayAct(account)) return
    const parent = posts.length > 0 && random.chance(0.45) ? recent(posts, random) : undefined
    const quoted = posts.length > 0 && random.chance(0.08) ? recent(posts, random) : undefined
    const value = {
      ...(options.words ? options.words(random) : { text: postText(random) }),
      langs: ['en'],
      ...(parent && { reply: { root: ref(parent.root ?? parent), parent: ref(parent) } }),
      ...(quoted && { embed: { $type: 'app.bsky.embed.record', record: ref(quoted) } }),
      ...more,
    }
    const commit = put(account, 'app.bsky.feed.post', value, atMs)
    const made: PostRef = {
      uri: uriOf(commit),
      cid: cidOfCommit(commit),
      author: account,
      rkey: commit.rkey,
    }
    const isReply = parent && !('reply' in more)
    if (isReply) made.root = parent.root ?? parent
    remember(posts, made, REMEMBERED_POSTS, random)
    return commit
  }

  function react(collection: string, atMs: number): Commit | undefined {
    if (posts.length === 0) return
    const account = random.below(accounts)
    const subject = ref(recent(posts, random))
    return mayAct(account) ? put(account, collection, { subject }, atMs) : undefined
  }

  function remove(atMs: number): Commit | undefined {
    if (deletables.length === 0) return
    const [victim] = deletables.splice(random.below(deletables.length), 1)
    if (!victim) return
    const { account, collection, rkey } = victim
    const { did, state } = repositories[account]!
    if (state || !isAllowed(account)) return
    if (collection === 'app.bsky.graph.follow' && restriction?.loyal.has(did)) return
    const index = posts.findIndex((one) => one.author === account && one.rkey === rkey)
    if (index >= 0) posts.splice(index, 1)
    return repositories[account]!.remove(collection, rkey, atMs)
  }

  function act(atMs: number): NetworkEvent | undefined {
    if (rareShare > 0 && (rareActs.isOwed() || random.chance(rareShare))) return rareActs.act(atMs)
    let dice = random.next()
    dice -= SHARES.like
    if (dice < 0) return react('app.bsky.feed.like', atMs)
    dice -= SHARES.post
    if (dice < 0) return post(atMs)
    dice -= SHARES.repost
    if (dice < 0) return react('app.bsky.feed.repost', atMs)
    dice -= SHARES.follow
    if (dice < 0) return followSomebody(random.below(accounts), atMs)
    return remove(atMs)
  }

  const startMs = now() - options.pastHours * 3_600_000
  const tell = (event: NetworkEvent | undefined, atMs: number) => {
    if (event) options.onPast?.(event, atMs)
  }
  for (let i = 0; i < accounts * options.meanFollows; i++) {
    tell(followSomebody(i % accounts, startMs), startMs)
  }
  for (let i = 0; i < options.pastEvents; i++) {
    const atMs = startMs + Math.floor((i / options.pastEvents) * (now() - startMs))
    tell(act(atMs), atMs)
  }
  return {
    repositories,
    act,
    follow,
    restrict: (to) => {
      restriction = to
    },
    allowRareActs: (share, lasting) => {
      rareShare = share
      rareActs.spare(lasting)
    },
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

function follows(repository: SimulatedAccount, subjectDid: string): boolean {
  const records = repository.collections.get('app.bsky.graph.follow')?.values() ?? []
  for (const { value } of records) if (value['subject'] === subjectDid) return true
  return false
}

function dropWhere<T>(list: T[], isGone: (entry: T) => boolean): void {
  for (let i = list.length - 1; i >= 0; i--) if (isGone(list[i]!)) list.splice(i, 1)
}

/** Slightly favours recent posts. */
function recent(posts: PostRef[], random: Random): PostRef {
  return posts[posts.length - 1 - random.zipf(posts.length)]!
}

function ref({ uri, cid }: PostRef): { uri: string; cid: string } {
  return { uri, cid }
}

export function uriOf({ did, collection, rkey }: Commit): string {
  return `at://${did}/${collection}/${rkey}`
}

function cidOfCommit(commit: Commit): string {
  if (commit.operation === 'delete') throw new Error('a deletion has no cid')
  return commit.cid
}

/** Keeps the list bounded: a new entry replaces a random older one. */
function remember<T>(list: T[], entry: T, bound: number, random: Random): void {
  if (list.length >= bound) list.splice(random.below(bound / 2), 1)
  list.push(entry)
}
