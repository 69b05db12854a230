// Computes what must be visible from the final repositories, by plain loops and without any of Slipstream's
// code. An AppView that starts listening at some moment can't know everything: it need not know earlier likes
// and follows by strangers. So counts and follower lists have a lower and an upper bound, which are equal
// where everything happened while it was listening.

import type { SimulatedAccount, SimulatedRecord } from '../simulated-network/repository.ts'
import type { Actions } from './actions.ts'
import type { World } from './world.ts'

export type Bounds = { least: number; most: number }

export type Row = {
  uri: string
  cid: string
  sortAt: number
  originator: string
  /** The post that is shown: itself, or the one it reposts. */
  post: string
}

export type Counts = { likes: Bounds; reposts: Bounds; replies: Bounds; quotes: Bounds }

export type Oracle = {
  account(did: string): SimulatedAccount | undefined
  isHidden(did: string): boolean
  follows(did: string): Set<string>
  /** Rows of the accounts that the member follows, and the member's own, newest first. */
  timeline(viewer: string): { followed: Row[]; own: Row[] }
  /** undefined if it can't be known. */
  isVisible(viewer: string, row: Row): boolean | undefined
  isBlocked(a: string, b: string): boolean
  post(uri: string): { author: string; value: Record<string, unknown> } | undefined
  counts(uri: string): Counts
  followers(subject: string): { must: Set<string>; may: Set<string> }
  everybody(): string[]
  /** Records of one collection, by account. */
  records(did: string, collection: string): SimulatedRecord[]
  /** Created while Slipstream was listening, and known since then. */
  isMarked(uri: string): boolean
  /** Everything about the post happened while Slipstream was listening. */
  isWitnessed(uri: string): boolean
  isGated(root: string): boolean
  isBlockedBy(subject: string, creator: string): boolean
  isMuted(viewer: string, did: string): boolean
  isSteady(did: string): boolean
  /** Direct replies to the post. */
  replies(uri: string): { creator: string; uri: string }[]
  /** The member's own record about the post. */
  hasReacted(viewer: string, collection: string, uri: string): boolean
}

type Ref = { uri: string }
type Reaction = { creator: string; uri: string }
type Value = Record<string, unknown>

type Repositories = Pick<
  Oracle,
  'account' | 'everybody' | 'isHidden' | 'records' | 'post' | 'follows' | 'timeline' | 'hasReacted'
>
type Blocks = Pick<Oracle, 'isBlocked' | 'isBlockedBy'>
type Listening = Pick<Oracle, 'isMarked' | 'isSteady' | 'isWitnessed'>
type Counting = Pick<Oracle, 'isGated' | 'replies' | 'counts' | 'followers'>

const POST = 'app.bsky.feed.post'
const REPOST = 'app.bsky.feed.repost'
const LIKE = 'app.bsky.feed.like'
const FOLLOW = 'app.bsky.graph.follow'
const BLOCK = 'app.bsky.graph.block'
const GATE = 'app.bsky.feed.threadgate'

export function createOracle(world: World, actions: Actions): Oracle {
  const repositories = readRepositories(world)
  const blocks = readBlocks(repositories)
  const listening = lookAtListening(world)
  const isMuted = (viewer: string, did: string) => actions.muted(viewer).has(did)
  const parts = { ...repositories, ...blocks, isMuted }
  return {
    ...parts,
    ...listening,
    ...countRecords(repositories, listening),
    isVisible: (viewer, row) => isVisible(parts, viewer, row),
  }
}

function readRepositories(world: World): Repositories {
  const accounts = new Map(
    world.network.repositories.map((repository) => [repository.did, repository]),
  )
  const isHidden = (did: string) => accounts.get(did)?.state !== undefined
  const follows = (did: string) =>
    new Set(records(did, FOLLOW).map(({ value }) => value['subject'] as string))

  function records(did: string, collection: string): SimulatedRecord[] {
    return [...(accounts.get(did)?.collections.get(collection)?.values() ?? [])]
  }

  function rowsOf(did: string): Row[] {
    return [POST, REPOST].flatMap((collection) =>
      records(did, collection).map((record) => rowOf(did, collection, record)),
    )
  }

  return {
    account: (did) => accounts.get(did),
    everybody: () => [...accounts.keys()],
    isHidden,
    records,
    post: (uri) => {
      const [did = '', collection = '', rkey = ''] = uri.slice('at://'.length).split('/')
      const record = accounts.get(did)?.collections.get(collection)?.get(rkey)
      return record && { author: did, value: record.value }
    },
    follows,
    timeline: (viewer) => ({
      followed: [...follows(viewer)]
        .filter((did) => did !== viewer && !isHidden(did))
        .flatMap(rowsOf)
        .sort(newestFirst),
      own: rowsOf(viewer).sort(newestFirst),
    }),
    hasReacted: (viewer, collection, uri) =>
      records(viewer, collection).some(({ value }) => (value['subject'] as Ref).uri === uri),
  }
}

function rowOf(did: string, collection: string, { rkey, cid, value }: SimulatedRecord): Row {
  const uri = `at://${did}/${collection}/${rkey}`
  const text = collection === POST ? uri : (value['subject'] as Ref).uri
  const sortAt = Date.parse(value['createdAt'] as string)
  return { uri, cid, sortAt, originator: did, post: text }
}

function readBlocks({ everybody, records }: Repositories): Blocks {
  const blocks = new Set<string>()
  for (const did of everybody()) {
    for (const { value } of records(did, BLOCK)) blocks.add(`${did} ${value['subject']}`)
  }
  return {
    isBlocked: (a, b) => a !== b && (blocks.has(`${a} ${b}`) || blocks.has(`${b} ${a}`)),
    isBlockedBy: (subject, creator) => blocks.has(`${creator} ${subject}`),
  }
}

function lookAtListening(world: World): Listening {
  const isMarked = (uri: string) => (world.madeAt(uri) ?? -1) >= world.markedAt()
  const isSteady = (did: string) => world.steadyAuthors().has(did)
  return { isMarked, isSteady, isWitnessed: (uri) => isMarked(uri) && isSteady(didOf(uri)) }
}

function isVisible(
  { account, post, isHidden, isMuted, isBlocked }: Repositories & Blocks & Pick<Oracle, 'isMuted'>,
  viewer: string,
  row: Row,
): boolean | undefined {
  const visible = post(row.post)
  const parentOf = (uri: string) =>
    (post(uri)?.value['reply'] as { parent: Ref } | undefined)?.parent.uri
  if (!visible || isHidden(visible.author) || isHidden(row.originator)) return false
  const parent = parentOf(row.post)
  const grandparent = parent && parentOf(parent)
  if (isMuted(viewer, visible.author) || isMuted(viewer, row.originator)) return false
  const near = [row.originator, visible.author, ...(parent ? [didOf(parent)] : [])]
  if (near.some((did) => isBlocked(viewer, did))) return false
  // It is unknown which a host sends first: the reply, or the deletion of its parent's account.
  if (parent && account(didOf(parent))?.state === 'deleted') return undefined
  if (!grandparent || !isBlocked(viewer, didOf(grandparent))) return true
  // If the parent could never be read, the author it replies to is unknown.
  return isHidden(didOf(parent!)) ? undefined : false
}

function countRecords(repositories: Repositories, listening: Listening): Counting {
  const { account, post } = repositories
  const { isMarked, isSteady, isWitnessed } = listening
  const index = indexRecords(repositories)

  /** Possibly gated if the owner is gone, and the gate with it. */
  function isGated(root: string): boolean {
    const owner = account(didOf(root))
    const isGone = owner?.state === 'deleted'
    return isGone || owner?.collections.get(GATE)?.has(root.split('/').at(-1)!) === true
  }

  /** A reply that a gate forbids does not count, unless it was indexed before the gate. */
  function replyBounds(uri: string): Bounds {
    const all = index.replies.get(uri) ?? []
    if (!isWitnessed(uri)) return { least: 0, most: all.length }
    const allowed = all.filter(({ uri: reply, creator }) => {
      const { root } = post(reply)!.value['reply'] as { root: Ref }
      return !isGated(root.uri) || didOf(root.uri) === creator
    })
    return { least: allowed.length, most: all.length }
  }

  function boundsOf(uri: string, most: number): Bounds {
    return { least: isWitnessed(uri) ? most : 0, most }
  }

  return {
    isGated,
    replies: (uri) => index.replies.get(uri) ?? [],
    counts: (uri) => ({
      likes: boundsOf(uri, creators(index.likes.get(uri)).size),
      reposts: boundsOf(uri, creators(index.reposts.get(uri)).size),
      replies: replyBounds(uri),
      quotes: boundsOf(uri, index.quotes.get(uri)?.length ?? 0),
    }),
    followers: (subject) => {
      const all = index.followers.get(subject) ?? []
      const isKnown = ({ creator, uri }: Reaction) =>
        isSteady(creator) || (isSteady(subject) && isMarked(uri))
      return { must: creators(all.filter(isKnown)), may: creators(all) }
    },
  }
}

/** The records about each post or account, by its URI or DID. */
function indexRecords({ everybody, records }: Repositories) {
  function index(collection: string, target: (value: Value) => string | undefined) {
    const found = new Map<string, Reaction[]>()
    for (const creator of everybody()) {
      for (const { value, rkey } of records(creator, collection)) {
        const about = target(value)
        if (!about) continue
        const reaction = { creator, uri: `at://${creator}/${collection}/${rkey}` }
        found.set(about, [...(found.get(about) ?? []), reaction])
      }
    }
    return found
  }
  const subjectUri = (value: Value) => (value['subject'] as Ref).uri
  return {
    likes: index(LIKE, subjectUri),
    reposts: index(REPOST, subjectUri),
    replies: index(POST, ({ reply }) => (reply as { parent: Ref } | undefined)?.parent.uri),
    quotes: index(POST, ({ embed }) => (embed as { record?: Ref } | undefined)?.record?.uri),
    followers: index(FOLLOW, ({ subject }) => subject as string),
  }
}

function creators(reactions: Reaction[] = []): Set<string> {
  return new Set(reactions.map(({ creator }) => creator))
}

export function newestFirst(a: Row, b: Row): number {
  return b.sortAt - a.sortAt || (a.cid < b.cid ? 1 : a.cid > b.cid ? -1 : 0)
}

export function didOf(uri: string): string {
  return uri.split('/')[2]!
}
