// The common acts on a simulated network: posts, replies and quotes, likes, reposts, follows and removals, in
// the mix seen in production. Every act draws from the same seeded dice, and leaves in `NetworkParts` the
// records that later acts refer to or remove.

import type { Random } from '../random.ts'
import type { Commit, SimulatedAccount } from './repository.ts'
import { postText } from './words.ts'

/** Shared by all acts. */
export type NetworkContext = {
  readonly random: Random
  readonly repositories: readonly SimulatedAccount[]
  /** Accounts that act only on request. */
  readonly quiet: ReadonlySet<number>
  /** Content of a post, instead of a few made-up words. */
  readonly words: ((random: Random) => Record<string, unknown>) | undefined
  readonly posts: PostRef[]
  readonly deletables: Deletable[]
  restriction: Restriction | undefined
}

/** Only `dids` act, no account becomes inactive for a time, and `loyal` accounts unfollow no account. */
export type Restriction = { dids: ReadonlySet<string>; loyal: ReadonlySet<string> }

type PostRef = { uri: string; cid: string; author: number; rkey: string; root?: PostRef }
type Deletable = { account: number; collection: string; rkey: string }
type Write = { account: number; collection: string; value: Record<string, unknown>; atMs: number }

const REMEMBERED_POSTS = 5_000
const REMEMBERED_DELETABLES = 5_000
const SHARES = { like: 0.62, post: 0.12, repost: 0.1, follow: 0.1, remove: 0.06 }

export function actAsUsual(context: NetworkContext, atMs: number): Commit | undefined {
  const { random, repositories } = context
  let dice = random.next()
  dice -= SHARES.like
  if (dice < 0) return react(context, 'app.bsky.feed.like', atMs)
  dice -= SHARES.post
  if (dice < 0) return post(context, atMs)
  dice -= SHARES.repost
  if (dice < 0) return react(context, 'app.bsky.feed.repost', atMs)
  dice -= SHARES.follow
  if (dice < 0) return followSomebody(context, random.below(repositories.length), atMs)
  return remove(context, atMs)
}

export function mayAct(context: NetworkContext, account: number): boolean {
  const isActive = context.repositories[account]!.state === undefined
  return !context.quiet.has(account) && isActive && isAllowed(context, account)
}

/** Whether the account may be changed now. */
export function isAllowed({ restriction, repositories }: NetworkContext, account: number): boolean {
  return restriction?.dids.has(repositories[account]!.did) ?? true
}

export function put(context: NetworkContext, { account, collection, value, atMs }: Write): Commit {
  const { random, repositories, deletables } = context
  const createdAt = new Date(atMs).toISOString()
  const commit = repositories[account]!.put({ collection, value: { createdAt, ...value }, atMs })
  remember(deletables, { account, collection, rkey: commit.rkey }, REMEMBERED_DELETABLES, random)
  return commit
}

/** Returns undefined if the follow already exists, or if one of the accounts can't take part. */
export function follow(
  context: NetworkContext,
  { account, subject, atMs }: { account: number; subject: number; atMs: number },
): Commit | undefined {
  const [from, to] = [context.repositories[account]!, context.repositories[subject]!]
  if (subject === account || from.state || to.state || follows(from, to.did)) return
  const value = { subject: to.did }
  return put(context, { account, collection: 'app.bsky.graph.follow', value, atMs })
}

export function followSomebody(
  context: NetworkContext,
  account: number,
  atMs: number,
): Commit | undefined {
  const subject = context.random.zipf(context.repositories.length)
  return context.quiet.has(account) || !isAllowed(context, account)
    ? undefined
    : follow(context, { account, subject, atMs })
}

export function post(
  context: NetworkContext,
  atMs: number,
  more: Record<string, unknown> = {},
): Commit | undefined {
  const { random, posts } = context
  const account = random.zipf(context.repositories.length)
  if (!mayAct(context, account)) return
  const parent = posts.length > 0 && random.chance(0.45) ? recent(posts, random) : undefined
  const quoted = posts.length > 0 && random.chance(0.08) ? recent(posts, random) : undefined
  const value = { ...contentOf(context, { parent, quoted }), ...more }
  const commit = put(context, { account, collection: 'app.bsky.feed.post', value, atMs })
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

function contentOf(
  { words, random }: NetworkContext,
  { parent, quoted }: { parent: PostRef | undefined; quoted: PostRef | undefined },
): Record<string, unknown> {
  return {
    ...(words ? words(random) : { text: postText(random) }),
    langs: ['en'],
    ...(parent && { reply: { root: ref(parent.root ?? parent), parent: ref(parent) } }),
    ...(quoted && { embed: { $type: 'app.bsky.embed.record', record: ref(quoted) } }),
  }
}

function react(context: NetworkContext, collection: string, atMs: number): Commit | undefined {
  const { random, repositories, posts } = context
  if (posts.length === 0) return
  const account = random.below(repositories.length)
  const subject = ref(recent(posts, random))
  if (!mayAct(context, account)) return
  return put(context, { account, collection, value: { subject }, atMs })
}

function remove(context: NetworkContext, atMs: number): Commit | undefined {
  const { random, repositories, posts, deletables, restriction } = context
  if (deletables.length === 0) return
  const [victim] = deletables.splice(random.below(deletables.length), 1)
  if (!victim) return
  const { account, collection, rkey } = victim
  const { did, state } = repositories[account]!
  if (state || !isAllowed(context, account)) return
  if (collection === 'app.bsky.graph.follow' && restriction?.loyal.has(did)) return
  const index = posts.findIndex((post) => post.author === account && post.rkey === rkey)
  if (index >= 0) posts.splice(index, 1)
  return repositories[account]!.remove(collection, rkey, atMs)
}

/** Stops all references to the account's records, and their deletion. */
export function forgetAccount({ posts, deletables }: NetworkContext, account: number): void {
  dropWhere(posts, ({ author }) => author === account)
  dropWhere(deletables, (deletable) => deletable.account === account)
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

function uriOf({ did, collection, rkey }: Commit): string {
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
